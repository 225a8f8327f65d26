from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise.reading.lines import line_number, line_starts, lines_with


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("", (0,)),
        ("a", (0,)),
        ("\n", (0,)),
        ("a\n", (0,)),
        ("a\nb", (0, 2)),
        ("a\r\nb\r\n", (0, 3)),
        ("a\rb\r", (0, 2)),
        ("\n\n", (0, 1)),
        ("\r\r\n\n", (0, 1, 3)),
        ("a\n\rb", (0, 2, 3)),
        ("\ufeffa\nb", (0, 3)),
        ("😀\n😀", (0, 2)),
    ],
)
def test_lines_start_after_lf_cr_and_crlf(text, starts):
    assert tuple(line_starts(text)) == starts


@pytest.mark.parametrize("char", list("\v\f\x1c\x1d\x1e\x85\u2028\u2029"))
def test_no_other_character_ends_a_line(char):
    assert list(line_starts(f"a{char}b\nc")) == [0, 4]


@pytest.mark.parametrize(
    ("offset", "line"),
    [(0, 1), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 4), (7, 4), (8, 4)],
)
def test_a_newline_belongs_to_the_line_it_ends_and_the_end_to_the_last_line(offset, line):
    text = "a\r\nb\n\rc\n"

    assert line_number(line_starts(text), offset) == line


def test_the_empty_text_has_one_line():
    assert line_number(line_starts(""), 0) == 1


@given(st.text(alphabet="a\n\r\x85é", max_size=40))
def test_line_numbers_equal_those_counted_one_by_one(text):
    starts = line_starts(text)
    line = 1

    for offset, char in enumerate(text):
        assert line_number(starts, offset) == line, (text, offset)
        line += char == "\n" or (char == "\r" and text[offset + 1 : offset + 2] != "\n")
    assert line_number(starts, len(text)) == len(starts)


@given(st.text(alphabet=":%a \n\r", max_size=60))
def test_lines_with_a_sign_equal_those_found_line_by_line(text):
    starts = line_starts(text)
    lines = [text[start:end] for start, end in pairwise([*starts, len(text)])]

    assert lines_with(("::", "%"), text, starts) == [n for n, line in enumerate(lines) if "::" in line or "%" in line]
