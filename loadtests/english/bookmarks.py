"""Fills a fresh file of bookmarks, without asking any of the addresses.

    bookmarks.py FILE
"""

import sys

import buku

BOOKMARKS = [
    ("https://bread.example/sourdough", "Sourdough for beginners", ",baking,recipes,", "Starter, flour, water, salt."),
    ("https://soup.example/minestrone", "Minestrone", ",recipes,", ""),
    ("https://knife.example/sharpening", "How to sharpen a kitchen knife", ",tools,", "With a whetstone."),
    ("https://rust.example/book", "The Rust book", ",programming,rust,", ""),
    ("https://regex.example/", "Regular expressions explained", ",programming,", "Examples at the bottom."),
    ("https://trains.example/timetable", "Train timetable", ",travel,", ""),
    ("https://tea.example/green", "Green tea guide", ",tea,", "Water at 80 degrees."),
    ("https://maps.example/harbour", "Map of the harbour", ",travel,", ""),
]

database = buku.BukuDb(dbfile=sys.argv[1])
for address, title, tags, description in BOOKMARKS:
    if not database.add_rec(address, title, tags, description, fetch=False):
        raise SystemExit(f"{address} was not taken")
database.close()
