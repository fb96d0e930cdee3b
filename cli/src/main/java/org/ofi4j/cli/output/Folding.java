// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Breaks lines that are longer than the terminal has columns. Lines are broken at blanks; a longer
 * word stays whole. Sequences of characters that only change the colour have no width.
 */
public final class Folding {
  /** The least width of the right one of two columns; a narrower one would be a strip. */
  private static final int NARROWEST = 26;

  /** Indents the right one of two columns that has lines of its own. */
  private static final int INDENT = 8;

  /** Indents an example, a command that goes on in the next line further to the right. */
  private static final int EXAMPLE = 2;

  private static final String USAGE = "Usage: ";

  private static final Pattern COLOUR = Pattern.compile("\033\\[[0-9;]*m");
  private static final Pattern WORD = Pattern.compile("( *)([^ ]+)");

  /** An option, or another first column and the two blanks or more behind it. */
  private static final Pattern FIRST_COLUMN =
      Pattern.compile("^ +(?:-[^ ]+, )*-[^ ]+ +(?=[^ ])|^ *[^ ]+(?: [^ ]+)*  +(?=[^ ])");

  private Folding() {}

  /** Returns how many columns a text takes on a terminal. */
  static int width(String text) {
    return visible(text).length();
  }

  private static String visible(String text) {
    return COLOUR.matcher(text).replaceAll("");
  }

  /**
   * Folds lines of text, some of which have two columns: a name, two blanks or more, and a
   * description. The description is folded under itself, or from a line of its own where it would
   * be too narrow.
   */
  public static String text(String text, int columns) {
    StringBuilder folded = new StringBuilder();
    text.lines().forEach(line -> folded.append(line(line, columns)).append(System.lineSeparator()));
    return folded.toString();
  }

  private static String line(String line, int columns) {
    if (width(line) <= columns) {
      return line;
    }
    String visible = visible(line);
    int blanks = visible.length() - visible.stripLeading().length();
    if (visible.startsWith(USAGE)) {
      return words(line, columns, USAGE.length());
    }
    Matcher first = FIRST_COLUMN.matcher(visible);
    if (!first.find()) {
      if (blanks <= EXAMPLE) {
        return words(line, columns, 2 * blanks);
      }
      // A description alone, whose name has the line above.
      int indent = columns - blanks < NARROWEST ? Math.min(blanks, INDENT) : blanks;
      return words(" ".repeat(indent) + line.substring(index(line, blanks)), columns, indent);
    }
    int right = first.end();
    if (columns - right >= NARROWEST) {
      return words(line, columns, right);
    }
    int index = index(line, right);
    return words(line.substring(0, index).stripTrailing(), columns, blanks + 2)
        + System.lineSeparator()
        + words(" ".repeat(INDENT) + line.substring(index), columns, INDENT);
  }

  /** Returns the index of the character before which the given number of others are visible. */
  private static int index(String line, int characters) {
    int index = 0;
    Matcher colour = COLOUR.matcher(line);
    for (int left = characters; left > 0; index++) {
      if (colour.region(index, line.length()).lookingAt()) {
        index = colour.end() - 1;
      } else {
        left--;
      }
    }
    return index;
  }

  /**
   * Folds one line.
   *
   * @param indent the number of blanks before each further line
   */
  public static String words(String line, int columns, int indent) {
    if (width(line) <= columns) {
      return line;
    }
    StringBuilder folded = new StringBuilder();
    int at = 0;
    boolean isFirst = true;
    Matcher words = WORD.matcher(line);
    while (words.find()) {
      String gap = words.group(1);
      String word = words.group(2);
      int width = width(word);
      if (!isFirst && at + gap.length() + width > columns) {
        folded.append(System.lineSeparator());
        gap = " ".repeat(indent);
        at = 0;
      }
      folded.append(gap).append(word);
      at += gap.length() + width;
      isFirst = false;
    }
    return folded.toString();
  }

  /** Returns a row of a table without anything behind its cells. */
  public static String row(List<String> cells, int columns) {
    return row(cells, "", columns);
  }

  /**
   * Puts the cells of a row of a table side by side, and those that do not fit below, indented.
   * Rows whose cells are as wide as those of the heading are folded like the heading.
   *
   * @param cells cells that are filled up with blanks to the widths of their columns; a first one
   *     that takes more than half of the columns has a line of its own if not all fit
   * @param end text of any width behind the cells
   */
  public static String row(List<String> cells, String end, int columns) {
    boolean fits = width(String.join("", cells).stripTrailing()) <= columns;
    boolean isFirstAlone = !fits && width(cells.getFirst()) > columns / 2;
    List<String> all = new ArrayList<>(cells);
    all.add(end);
    StringBuilder folded = new StringBuilder();
    int at = 0;
    for (int i = 0; i < all.size(); i++) {
      String text = all.get(i);
      boolean isNext = i == 1 && isFirstAlone;
      // The blanks at the end of a row that fits matter as little as those before the end.
      boolean goesOn = (fits && i < cells.size()) || at + width(text) <= columns;
      if (isNext || (at > 0 && !goesOn)) {
        endLine(folded);
        text = " ".repeat(4) + text;
        at = 0;
      }
      at += width(text);
      folded.append(at > columns ? words(text.stripTrailing(), columns, 4) : text);
    }
    return folded.toString().stripTrailing();
  }

  /** Ends a line, which goes if it has nothing but blanks. */
  private static void endLine(StringBuilder folded) {
    int end = folded.length();
    while (end > 0 && folded.charAt(end - 1) == ' ') {
      end--;
    }
    folded.setLength(end);
    if (end > 0 && folded.charAt(end - 1) != '\n') {
      folded.append(System.lineSeparator());
    }
  }
}
