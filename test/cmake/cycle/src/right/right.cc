int Right() { return 2; }
