"""What reads Python's frames, counts references or asks the garbage collector; no other folder does.

- `stack`: the frames of callers and of errors. An error names the API that the user called, a warning and a graph the
  user's line; nothing else knows these, and a call that succeeds must not pay for them. A missing name is an
  ImportError for `from package import name`, which only the instruction of the importing frame shows. A torch module
  must know the cells that it calls, and it is found as their caller. An operation that a function makes from a function
  of torch belongs to the module that asks for it.
- `tracebacks`, `user_lines`: what users see of them.
- `profiling`: the thread's profile function, which sees functions that run without changing them.
- `references`: counts of references. A write may go to memory in place only if nothing else uses it, and code is known
  by the functions that hold it.
- `tracked_objects`: all Tensors over a memory are found among the objects of the garbage collector: a list of them
  would cost each operation.

Invariants: frames are read when an error is raised, a warning given, a name missing or a call recorded, never on the
path of an operation that succeeds; references are counted when a scope writes. No frame is kept, as it would keep all
its variables, except by a pass of MindSpore's tape, which ends with the frame that began it.
"""
