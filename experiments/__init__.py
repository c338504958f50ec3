"""Studies that run on the engine. Imported as `mjsim.experiments`; the scripts under `examples/` are run by hand."""
