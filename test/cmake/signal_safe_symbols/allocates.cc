// Does what a signal handler must not do: allocates, and constructs a static on first use under a
// lock.
int* Allocate();
int* Allocate() {
  static int* const first = new int(1);
  return first;
}
