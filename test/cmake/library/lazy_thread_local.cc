// A thread-local variable that is accessed through __tls_get_addr (compiled as global-dynamic).
namespace {
thread_local int g_counter = 0;
}
int CountInThread();
int CountInThread() { return ++g_counter; }
