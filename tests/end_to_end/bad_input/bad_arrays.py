# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy files that do not fit `%a: tensor<4x8xf32>`, and some that do."""
import struct


def npy(header, data, version=(1, 0), magic=b"\x93NUMPY"):
    text = header.encode("latin-1")
    size = struct.pack("<H", len(text)) if version[0] == 1 else struct.pack("<I", len(text))
    return magic + bytes(version) + size + text + data


def header(dtype="<f4", shape="(4, 8)", fortran="False"):
    return f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n"


DATA = struct.pack("<32f", *range(32))


def good():
    return [("plain", npy(header(), DATA)),
            ("version 2", npy(header(), DATA, version=(2, 0))),
            ("column by column", npy(header(fortran="True"), DATA)),
            ("double precision", npy(header(dtype="<f8"), struct.pack("<32d", *range(32)))),
            ("big endian", npy(header(dtype=">f4"), struct.pack(">32f", *range(32))))]


def bad():
    return [
        ("empty", b""),
        ("not NumPy", b"PK\x03\x04" + b"x" * 200),
        ("magic alone", b"\x93NUMPY"),
        ("header cut off", npy(header(), DATA)[:20]),
        ("data cut off", npy(header(), DATA[:-1])),
        ("no data", npy(header(), b"")),
        ("integers", npy(header(dtype="<i4"), DATA)),
        ("objects", npy(header(dtype="|O"), DATA)),
        ("wrong shape", npy(header(shape="(8, 4)"), DATA)),
        ("wrong rank", npy(header(shape="(32,)"), DATA)),
        ("scalar", npy(header(shape="()"), DATA[:4])),
        ("huge shape", npy(header(shape="(4611686018427387904, 8)"), DATA)),
        ("many digits", npy(header(shape="(99999999999999999999999, 8)"), DATA)),
        ("negative shape", npy(header(shape="(-4, -8)"), DATA)),
        ("no dictionary", npy("hello\n", DATA)),
        ("open brackets", npy("{'descr': '<f4', 'shape': " + "(" * 50000, DATA, version=(2, 0))),
        ("header of 4 GB", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{"),
        ("version 9", npy(header(), DATA, version=(9, 0))),
    ]
