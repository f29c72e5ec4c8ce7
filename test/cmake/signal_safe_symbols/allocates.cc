// What a handler must not do: allocate, and construct a static on first use under a lock.
int* Allocate();
int* Allocate() {
  static int* const first = new int(1);
  return first;
}
