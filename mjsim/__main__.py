"""`python -m mjsim` is the `mjsim` command."""

from mjsim.cli import main

if __name__ == "__main__":
    main()
