"""Winning shapes by table: complete, shanten, waits, accepting draws.

`tables` builds and keeps the tables, `kernels` reads them in compiled code, `public` is what users call.
"""
