/*
 * ASGST: walks stacks frame by frame, from signal handlers and elsewhere. For C and C++.
 *
 * The functions and types have the names of the proposals for AsyncGetStackTrace that were made for
 * OpenJDK. libprofiler.so implements them for the HotSpot JVMs that exist. profiler_asgst_init
 * (asgst_init.h) comes first: before it, ASGST_Capabilities returns 0, and all other functions
 * return ASGST_NOT_STARTED or null.
 *
 * The contexts of a call:
 *   signal-safe       in a signal handler too; allocates nothing, takes no lock, keeps errno
 *   outside handlers  on any thread that is not in a signal handler
 * A function that gets an iterator is called on the thread that runs the iterator's callback, and
 * only during the callback. A callback must not throw, and must not leave by longjmp.
 *
 * docs/stack-walking-api.md has a table of functions and contexts.
 */
#ifndef PROFILER_ASGST_H_
#define PROFILER_ASGST_H_

#ifdef PROFILER_ASYNC_GET_STACK_TRACE_H_
#error "asgst.h and async_get_stack_trace.h define the same names differently: include only one"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/asgst_init.h"

/* C names, not C++ ones. NOLINTBEGIN(modernize-*, readability-identifier-naming) */

/* jmethodID of JNI is a pointer to this. */
struct _jmethodID;

#ifdef __cplusplus
extern "C" {
#endif

/* The identity of a method: not an address. It never names another method, also after the class was
 * unloaded, and is the same on all threads. Two versions of a redefined method have two identities.
 * Null if there is none. */
typedef struct _ASGST_Method* ASGST_Method;

/* The identity of a class: not an address. It never names another class. */
typedef struct _ASGST_Class* ASGST_Class;

/* The capabilities that ASGST_Capabilities returns. The bits from 0x10000 on are those of this
 * library. */
enum ASGST_Capabilities {
  ASGST_REGISTER_QUEUE = 1,            /* queues */
  ASGST_MARK_FRAME = 2,                /* marks of frames: never, on a JVM as it is */
  ASGST_ITERATORS = 0x10000,           /* iterators and names of methods */
  ASGST_JMETHODID_TO_METHOD = 0x20000, /* ASGST_JMethodIDToMethod */
  ASGST_ITERATOR_OF_THREAD = 0x40000,  /* ASGST_RunWithIteratorOfThread */
  ASGST_CLASS_UNLOAD = 0x80000,        /* ASGST_RegisterClassUnloadHandler */
  ASGST_WHOLE_QUEUED_STACKS =
      0x100000, /* a queue keeps the stacks of its elements, not their tops */
  ASGST_APPROXIMATE_QUEUED_STACKS = 0x200000 /* queues with ASGST_APPROXIMATE_STACKS */
};

/* Returns the sum of the capabilities; 0 before profiler_asgst_init. Signal-safe. */
int ASGST_Capabilities(void);

typedef struct _ASGST_Iterator ASGST_Iterator;

enum ASGST_FrameTypeId {
  ASGST_FRAME_JAVA = 1,         /* a method that is interpreted or compiled */
  ASGST_FRAME_JAVA_INLINED = 2, /* a method that is inlined into the next frame of type 1 */
  ASGST_FRAME_JAVA_NATIVE = 3,  /* a native method */
  ASGST_FRAME_NON_JAVA = 4      /* code of a library, or a stub that the JVM has generated */
};

typedef struct {
  uint8_t type;        /* ASGST_FrameTypeId */
  int comp_level;      /* 0: interpreted; 1 to 3: compiled by C1; 4: by C2; -1: not known, or the
                          frame is a native method or not Java */
  int bci;             /* index of the bytecode; -1: not known, or no bytecode */
  ASGST_Method method; /* null: not known, or not Java */
  /* The registers in the physical frame. Inlined frames have those of the frame that they are in. */
  void* pc; /* the interrupted instruction, or the address to which the callee returns. Null: this
               entry of type 4 stands for native frames that could not be found */
  void* sp; /* null if the frame is not on the thread's stack: a frame of a virtual thread can be in
               the heap, and native code can run on a stack of its own */
  void* fp; /* the register rbp or x29; null as sp */
} ASGST_Frame;

#if UINTPTR_MAX == 0xffffffffffffffff
#ifdef __cplusplus
static_assert(sizeof(ASGST_Frame) == 48 && offsetof(ASGST_Frame, comp_level) == 4 &&
                  offsetof(ASGST_Frame, bci) == 8 && offsetof(ASGST_Frame, method) == 16 &&
                  offsetof(ASGST_Frame, pc) == 24 && offsetof(ASGST_Frame, sp) == 32 &&
                  offsetof(ASGST_Frame, fp) == 40,
              "the layout of ASGST_Frame is part of the interface");
#else
_Static_assert(sizeof(ASGST_Frame) == 48 && offsetof(ASGST_Frame, comp_level) == 4 &&
                   offsetof(ASGST_Frame, bci) == 8 && offsetof(ASGST_Frame, method) == 16 &&
                   offsetof(ASGST_Frame, pc) == 24 && offsetof(ASGST_Frame, sp) == 32 &&
                   offsetof(ASGST_Frame, fp) == 40,
               "the layout of ASGST_Frame is part of the interface");
#endif
#endif

enum ASGST_Options {
  /* Frames of type ASGST_FRAME_NON_JAVA are included, and threads that are not Java threads are
   * walked. */
  ASGST_INCLUDE_NON_JAVA_FRAMES = 1,
  /* The walk ends at the first frame that has bytecodes. For this frame, ASGST_NextFrame returns 0
   * and sets type (ASGST_FRAME_JAVA), pc, sp and fp only. */
  ASGST_END_ON_FIRST_JAVA_FRAME = 2,
  /* For ASGST_RegisterQueue only. The stack of an element is that of a later moment. */
  ASGST_APPROXIMATE_STACKS = 0x10000
};

enum ASGST_TRACE_KIND {
  ASGST_JAVA_TRACE = 1,     /* the stack of a Java thread or of the virtual thread that it runs */
  ASGST_NON_JAVA_TRACE = 2, /* the stack of another thread */
  /* Of this library: the stack of an element of a queue with ASGST_APPROXIMATE_STACKS */
  ASGST_APPROXIMATE_TRACE = 0x10000
};

enum ASGST_Error {
  ASGST_NO_FRAME = 0,             /* the end of the stack */
  ASGST_NO_THREAD = -1,           /* the thread is not a Java thread, or does not exist */
  ASGST_THREAD_EXIT = -2,         /* not returned: an ending thread is walked while it can be */
  ASGST_UNSAFE_STATE = -3,        /* the stack cannot be read now: see the function */
  ASGST_NO_TOP_JAVA_FRAME = -4,   /* the thread has no Java frame */
  ASGST_ENQUEUE_NO_QUEUE = -5,    /* the queue is null, or is not registered (any more) */
  ASGST_ENQUEUE_FULL_QUEUE = -6,  /* the queue has no room for the stack */
  ASGST_ENQUEUE_OTHER_ERROR = -7, /* the queue belongs to another thread */
  /* Errors of this library */
  ASGST_NOT_STARTED = -17,    /* profiler_asgst_init has not succeeded, or the use has ended */
  ASGST_WRONG_ARGUMENT = -18, /* an argument is null or has a value that is not allowed */
  ASGST_WRONG_ITERATOR = -19, /* the iterator is not one of this thread's callbacks under way */
  ASGST_BROKEN_STACK = -20,   /* the caller of the last frame could not be determined */
  ASGST_MISSING_FRAMES = -21, /* the next frames of a virtual thread are in the heap, where they
                                   could not be read at this moment */
  ASGST_TOO_MANY_WALKS = -22, /* too many walks or requests are under way in the process */
  ASGST_FORKED_PROCESS = -23, /* this process was forked from the JVM's process */
  ASGST_NO_ANSWER = -24,      /* the other thread did not walk its stack in time */
  ASGST_UNKNOWN_METHOD = -25  /* no frame with the method or the class has been seen, or its names
                                   could not be copied */
};

/* The callback of a walk. `iterator` is at the first frame, and is valid until the callback
 * returns. */
typedef void (*ASGST_IteratorHandler)(ASGST_Iterator* iterator, void* argument);

/* Calls fun(iterator, argument) with the stack of the calling thread, and returns the kind of the
 * stack (> 0). Returns an error (<= 0) if there is no first frame; `fun` is then not called. The
 * stack of a virtual thread ends where the virtual thread is mounted.
 *
 * `ucontext` is the third argument of a signal handler, for the stack at the interrupted
 * instruction. It can also be that of another Java thread that waits in its own handler until the
 * call has returned; the library finds the thread by its stack pointer. The callback must not wait for
 * anything that the other thread can hold, such as the memory of malloc or a safepoint. If the other
 * thread does not wait, the frames are not defined, but the process goes on.
 *
 * If `ucontext` is null, the stack begins at the Java frame that has called the code
 * that runs: for JNI methods and callbacks of JVMTI. ASGST_UNSAFE_STATE: the thread is in Java
 * although `ucontext` is null, or the interrupted code runs on a stack that is not one of a Java
 * thread, or the thread has a pending fault. ASGST_WRONG_ARGUMENT: `fun` is null, or `options` has an unknown
 * bit.
 *
 * Signal-safe. Calls can be nested. */
int ASGST_RunWithIterator(void* ucontext, int32_t options, ASGST_IteratorHandler fun,
                          void* argument);

/* Does the same, from the frame whose registers are `sp`, `fp` and `pc`: `pc` is the address to
 * which the callee of the frame returns. REQUIRES: the frame is on the stack of the calling thread
 * and has not returned; otherwise the result is not defined, but the process goes on.
 * ASGST_WRONG_ARGUMENT: also if `sp` is not on the thread's stack.
 *
 * Signal-safe. */
int ASGST_RunWithIteratorFromFrame(void* sp, void* fp, void* pc, int options,
                                   ASGST_IteratorHandler fun, void* argument);

/* Calls fun(iterator, argument) with the stack of another thread, and returns the kind of the stack,
 * or an error. `tid` is the kernel's id of the thread (gettid). The thread gets a real-time signal,
 * walks itself in its handler, and goes on; the frames are kept, and then `fun` is called on the
 * calling thread. So `fun` may allocate and take locks. The stack has at most 8192 frames; a deeper
 * one ends with ASGST_BROKEN_STACK. `options` is 0 or ASGST_INCLUDE_NON_JAVA_FRAMES.
 *
 * A thread that sleeps in a system call can get EINTR from it. ASGST_NO_ANSWER: the thread did not
 * answer within 100 ms, because it has no processor, blocks the signal, or is stopped; or no signal
 * is free. ASGST_TOO_MANY_WALKS: 16 calls are under way.
 *
 * Outside handlers, on any thread, attached or not. */
int ASGST_RunWithIteratorOfThread(int tid, int32_t options, ASGST_IteratorHandler fun,
                                  void* argument);

/* Steps to the next frame, callee first. Returns 1 and sets *frame; 0 at the end of the stack; an
 * error (< 0) if the rest of the stack is not known, and in further calls the same result again. In
 * the last two cases, *frame is all zero (but see ASGST_END_ON_FIRST_JAVA_FRAME). Signal-safe, in
 * the iterator's callback. */
int ASGST_NextFrame(ASGST_Iterator* iterator, ASGST_Frame* frame);

/* Makes the iterator start at the first frame again. Returns 1, or an error. Signal-safe, in the
 * iterator's callback. */
int ASGST_RewindIterator(ASGST_Iterator* iterator);

/* Returns 1 if a further frame might follow, else the last result of ASGST_NextFrame; 0 if
 * `iterator` is null. Signal-safe, in the iterator's callback. */
int ASGST_State(ASGST_Iterator* iterator);

/* Returns the kind of the iterator's stack; ASGST_APPROXIMATE_TRACE if it is not the stack of the
 * moment for which it was asked. Returns an error (< 0) if `iterator` is not one. Signal-safe, in the
 * iterator's callback. */
int profiler_asgst_trace_kind(ASGST_Iterator* iterator);

/* Returns the state of the calling thread, as bits of JVMTI's GetThreadState: alive, terminated,
 * runnable, blocked on a monitor, waiting, in Object.wait, sleeping, parked, in native code. Returns
 * an error (< 0) if the thread is not a Java thread. Signal-safe. */
int ASGST_ThreadState(void);

/* --- Methods and classes
 *
 * The library copies the names of a method when an iterator meets the method for the first time,
 * while the method is on the stack. So names are there after the class was unloaded, too. */

/* The description of a method. Before the call, each text is null or points to memory, whose size
 * in bytes is in the length. The call writes a text of at most that size with its terminating zero,
 * in modified UTF-8, and sets the length to that of the whole text without the zero. */
typedef struct {
  ASGST_Class klass;
  char* method_name;
  int32_t method_name_length;
  char* signature; /* the descriptor, as in (I)V */
  int32_t signature_length;
  char* generic_signature; /* not available: set to null */
  int32_t generic_signature_length;
  int32_t modifiers;
  int32_t idnum;       /* number of the method in its class, the same for all versions that match */
  int64_t class_idnum; /* number of the class; 0 if this JVM does not number classes */
} ASGST_MethodInfo;

/* Sets *info. Returns 1; or ASGST_UNKNOWN_METHOD, and then the texts are empty. Signal-safe. */
int ASGST_GetMethodInfo(ASGST_Method method, ASGST_MethodInfo* info);

/* The description of a class, as ASGST_MethodInfo. */
typedef struct {
  char* class_name; /* the internal form, as in java/lang/String */
  int32_t class_name_length;
  char* generic_class_name; /* not available: set to null */
  int32_t generic_class_name_length;
  int32_t modifiers;
  int64_t idnum; /* number of the class; 0 if this JVM does not number classes */
} ASGST_ClassInfo;

/* Sets *info. Returns 1; or ASGST_UNKNOWN_METHOD, and then the texts are empty. Signal-safe. */
int ASGST_GetClassInfo(ASGST_Class klass, ASGST_ClassInfo* info);

/* Return ASGST_MethodInfo::idnum and ASGST_ClassInfo::idnum; 0 if the argument is not known.
 * Signal-safe. */
int32_t ASGST_GetMethodIdNum(ASGST_Method method);
int64_t ASGST_GetClassIdNum(ASGST_Class klass);

/* Returns the class that declares the method; null if the method is not known. Signal-safe. */
ASGST_Class ASGST_GetClass(ASGST_Method method);

typedef struct {
  int32_t start_bci;
  int32_t line_number;
} ASGST_MethodLineNumberEntry;

/* Writes the first `length` entries of the method's table of lines, in the order of the class file.
 * Returns the number of entries written; 0 if the method has no table; or an error. Signal-safe. */
int ASGST_GetMethodLineNumberTable(ASGST_Method method, ASGST_MethodLineNumberEntry* entries,
                                   int length);

/* Returns the line of a bytecode; -1 if it is not known. Signal-safe. */
int32_t ASGST_GetMethodLineNumber(ASGST_Method method, int32_t bci);

/* Returns the jmethodID of the method; null if the JVM has not made one (see
 * PROFILER_ASGST_JMETHODIDS), or the class was unloaded. Signal-safe. */
struct _jmethodID* ASGST_MethodToJMethodID(ASGST_Method method);

/* Returns the method of a jmethodID, and copies the names of the method; null if it is not known.
 * Needs ASGST_JMETHODID_TO_METHOD. REQUIRES: the class is loaded, and stays so during the call.
 * Outside handlers. From JDK 26 on, a thread that is not attached to the JVM is attached during the
 * call. */
ASGST_Method ASGST_JMethodIDToMethod(struct _jmethodID* id);

/* Called when a class was unloaded of which an iterator has met methods: these are `methods`. Their
 * names can still be asked for. `redefined` is false. On a thread of the library that is attached to
 * the JVM, once for each class, within seconds. */
typedef void (*ASGST_ClassUnloadHandler)(ASGST_Class klass, ASGST_Method* methods, int count,
                                         bool redefined, void* argument);

/* Registers a handler. While one is registered, the library looks twice a second for new classes,
 * and the JVM makes the jmethodIDs of the classes that iterators have met. Returns 1, or an error.
 * Any thread, outside handlers. */
int ASGST_RegisterClassUnloadHandler(ASGST_ClassUnloadHandler handler, void* argument);

/* Removes a handler that was registered with the same arguments. It is not called any more after
 * this call has returned. Returns false if there is none. Any thread, outside handlers. */
bool ASGST_DeregisterClassUnloadHandler(ASGST_ClassUnloadHandler handler, void* argument);

/* --- Queues
 *
 * A handler of a thread enqueues the thread's stack, and a helper thread of the library calls the
 * queue's handler for each stack, soon after, in the order in which they were enqueued. The queue's
 * handler is not in a signal handler: it may allocate and take locks. The thread whose stack it gets
 * runs meanwhile. The whole stack is walked when it is enqueued, so the handler gets the stack of
 * that moment.
 *
 * The functions of this part need ASGST_REGISTER_QUEUE. */

typedef struct _ASGST_Queue ASGST_Queue;

/* The handler of a queue: `queue_argument` was given to ASGST_RegisterQueue, and `argument` to
 * ASGST_Enqueue. It is called on a helper thread of the library, which has 512 KiB of stack and is not
 * attached to the JVM.
 * It may call every function of this header that is not for queues of the calling thread. A handler
 * that does not return holds up its own queue; if four handlers do not return, all queues. */
typedef void (*ASGST_Handler)(ASGST_Iterator* iterator, void* queue_argument, void* argument);

/* Registers a queue for the thread of `env` (a JNIEnv*), or for the calling thread if `env` is null.
 * A thread can have several queues. `size` is the number of stacks that the queue can hold, 1 to
 * 1048576. Besides, it holds at most 64 * size frames, but at least 8192. `options` is a sum of
 * ASGST_INCLUDE_NON_JAVA_FRAMES and ASGST_APPROXIMATE_STACKS, or 0. Returns null if an argument is
 * wrong, the thread is not attached, memory is short, or 4096 queues are registered.
 *
 * With ASGST_APPROXIMATE_STACKS, ASGST_Enqueue stores the interrupted registers only, 32 bytes, and
 * walks nothing. Some milliseconds later, the helper thread asks the thread of the queue for its
 * stack, as ASGST_RunWithIteratorOfThread does, and calls the handler for each element with the stack
 * of that later moment. If there is no answer, the handler's first call of ASGST_NextFrame returns
 * the error.
 *
 * When the thread ends, the queue is processed and then removed; until then it can be deregistered.
 * Outside handlers. */
ASGST_Queue* ASGST_RegisterQueue(void* env, int size, int options, ASGST_Handler fun,
                                 void* argument);

/* Removes the queue, after its stacks have been processed, and waits for that. In a handler of the
 * same queue it does not wait. `env` is not used. REQUIRES: the thread of the queue has no address of
 * an element any more. Returns false if the queue is not registered. Any
 * thread, outside handlers. */
bool ASGST_DeregisterQueue(void* env, ASGST_Queue* queue);

/* Called before or after the stacks of a queue are processed. `iterator` has the youngest stack of
 * them, or is null if it was not asked for. On a helper thread, as ASGST_Handler. */
typedef void (*ASGST_OnQueueSafepointHandler)(ASGST_Queue* queue, ASGST_Iterator* iterator,
                                              void* argument);

/* Set the function that is called before, or after, one or more stacks of the queue are processed;
 * null removes it. `options` is 0. Return 1, or an error. Any thread, outside handlers. */
int ASGST_SetOnQueueProcessingStart(ASGST_Queue* queue, int options, bool offerIterator,
                                    ASGST_OnQueueSafepointHandler before, void* argument);
int ASGST_SetOnQueueProcessingEnd(ASGST_Queue* queue, int options, bool offerIterator,
                                  ASGST_OnQueueSafepointHandler end, void* argument);

/* Walks the stack of the calling thread, as ASGST_RunWithIterator does, and adds it to the queue.
 * Returns the kind of the stack (ASGST_APPROXIMATE_TRACE if the stack will be that of a later moment),
 * or an error: ASGST_ENQUEUE_FULL_QUEUE if the queue has no room for
 * the stack; ASGST_ENQUEUE_NO_QUEUE; ASGST_ENQUEUE_OTHER_ERROR if the queue is not that of the
 * calling thread, or if the call interrupts another call for the same queue; and the errors of
 * ASGST_RunWithIterator. Signal-safe, on the thread of the queue; or on another thread, if `ucontext`
 * is that of the queue's thread, which waits in its handler, and the stacks are not approximate. */
int ASGST_Enqueue(ASGST_Queue* queue, void* ucontext, void* argument);

/* The part of a queued stack that its thread can see and change. */
typedef struct {
  void* pc; /* the registers of the first frame that has bytecodes, or of the first frame. With
               ASGST_APPROXIMATE_STACKS: the interrupted ones, null without `ucontext` */
  void* fp;
  void* sp;
  void* arg; /* the argument for the handler; can be changed */
} ASGST_QueueElement;

/* Sets *element to the registers that the element of the stack would have, with a null argument.
 * Returns the kind of the stack, or an error. Two stacks with the same registers can be different:
 * profiler_asgst_find_equal_element compares all frames. Signal-safe. */
int ASGST_GetEnqueuableElement(void* ucontext, ASGST_QueueElement* element);

/* Returns the element `n` of those that are not being processed: 0 is the oldest one, -1 the
 * youngest; null if there is none, or if the queue is not that of the calling thread. `arg` may be
 * changed until the handler that has called returns. If the processing of the element has begun
 * meanwhile, the change comes too late, and is counted. Signal-safe, on the thread of the queue. */
ASGST_QueueElement* ASGST_GetQueueElement(ASGST_Queue* queue, int n);

/* Walks the stack of the calling thread, and compares all frames with the youngest element. If they
 * are the same, sets *element and returns 1: the handler can change the argument instead of
 * enqueueing the stack once more. Else returns 0, or an error. With ASGST_APPROXIMATE_STACKS, it
 * walks nothing, and compares the registers. Signal-safe, on the thread of the queue. */
int profiler_asgst_find_equal_element(ASGST_Queue* queue, void* ucontext,
                                      ASGST_QueueElement** element);

typedef struct {
  int32_t size;     /* elements that are not being processed */
  int32_t capacity; /* elements that the queue can hold */
  int32_t attempts; /* calls of ASGST_Enqueue since the last processing has begun */
} ASGST_QueueSizeInfo;

/* Returns the sizes; all 0 if the queue is not that of the calling thread. Signal-safe, on the
 * thread of the queue. */
ASGST_QueueSizeInfo ASGST_GetQueueSizeInfo(ASGST_Queue* queue);

/* Changes the number of stacks that the queue can hold, after the next processing. The stacks that
 * it holds stay. Returns 1, or an error. Signal-safe, on the thread of the queue. */
int ASGST_ResizeQueue(ASGST_Queue* queue, int size);

/* Numbers of elements since the registration. enqueued is the sum of processed and of those that
 * still wait. */
typedef struct {
  uint64_t enqueued;
  uint64_t processed;
  uint64_t refused;      /* ASGST_ENQUEUE_FULL_QUEUE */
  uint64_t failed;       /* the stack could not be walked */
  uint64_t late_changes; /* arguments that were changed after the handler had been called */
} profiler_asgst_counts;

/* Sets *counts. Returns 1, or an error. Signal-safe, on any thread. */
int profiler_asgst_queue_counts(ASGST_Queue* queue, profiler_asgst_counts* counts);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-*, readability-identifier-naming) */

#endif /* PROFILER_ASGST_H_ */
