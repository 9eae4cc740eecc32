"""Adapters to real libraries: one file each, run by `serve.py` inside the library's environment.

They are programs, not modules: nothing here is imported by the judge, and nothing here imports
the judge. An adapter defines

- `DISTRIBUTION`, the name of the installed distribution, for its version;
- `FUNCTIONS`, from the function's name to (quantity, callable); the callable's parameter names
  are the arguments that it takes;
- `REFUSALS`, if the library has exceptions of its own that mean "I decline this input";
- `SKIPS`, if the adapter raises exceptions of its own that mean "I do not ask the library this";
- `SLOW`, if some functions are to be asked fewer cases.
"""
