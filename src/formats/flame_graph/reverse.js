// reverse
