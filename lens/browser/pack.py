#!/usr/bin/env python3
"""Puts the module, gzipped, and what starts it into one script, which a page loads when it is asked to, from a file, too:
pack.py MODULE.wasm GLUE.js WORKER.js... OUT.js"""
import base64
import gzip
import json
import pathlib
import sys

module, glue, *worker, out = map(pathlib.Path, sys.argv[1:])
parts = {"glue": glue.read_text(encoding="utf-8"), "worker": "\n".join(w.read_text(encoding="utf-8") for w in worker),
         "module": base64.b64encode(gzip.compress(module.read_bytes(), 9, mtime=0)).decode()}
out.write_text(f"var upsweepLens = {json.dumps(parts)};\n".replace("</", "<\\/"), encoding="utf-8")
