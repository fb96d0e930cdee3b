// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All rules, as {@code requirements.tsv} lists them. Immutable. */
public final class RequirementCatalog {
  private static final String RESOURCE = "requirements.tsv";
  private static final String FINISHED = "now";
  private static final String WAITING = "later:";

  private final Map<String, Requirement> byId;

  private RequirementCatalog(Map<String, Requirement> byId) {
    this.byId = byId;
  }

  /**
   * Reads the table.
   *
   * @return the catalog
   */
  public static RequirementCatalog load() {
    InputStream table = RequirementCatalog.class.getResourceAsStream(RESOURCE);
    if (table == null) {
      throw new IllegalStateException(RESOURCE + " is missing from the jar");
    }
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(table, StandardCharsets.UTF_8))) {
      return of(reader.lines().toList());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  static RequirementCatalog of(List<String> lines) {
    List<String> columns = List.of(lines.getFirst().split("\t", -1));
    Map<String, Requirement> byId = new LinkedHashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split("\t", -1);
      if (cells.length != columns.size()) {
        throw new IllegalStateException(
            cells.length + " instead of " + columns.size() + " columns: " + line);
      }
      Requirement rule = parse(columns, cells);
      if (byId.put(rule.id(), rule) != null) {
        throw new IllegalStateException(rule.id() + " is there twice");
      }
    }
    return new RequirementCatalog(byId);
  }

  private static Requirement parse(List<String> columns, String[] cells) {
    Map<String, String> row = new LinkedHashMap<>();
    for (int i = 0; i < cells.length; i++) {
      row.put(columns.get(i), cells[i]);
    }
    return new Requirement(
        cell(row, "id"),
        cell(row, "group"),
        cell(row, "title"),
        list(cell(row, "source")),
        Requirement.Kind.valueOf(cell(row, "kind").toUpperCase(Locale.ROOT)),
        topic(cell(row, "verdict-when")),
        list(cell(row, "errno")).stream().map(Integer::valueOf).toList(),
        cell(row, "pointer"),
        cell(row, "partial").equals(FINISHED));
  }

  private static String cell(Map<String, String> row, String column) {
    String cell = row.get(column);
    if (cell == null) {
      throw new IllegalStateException("no column \"" + column + "\" in " + row.keySet());
    }
    return cell;
  }

  private static String topic(String when) {
    if (when.equals(FINISHED)) {
      return "";
    }
    if (!when.startsWith(WAITING)) {
      throw new IllegalStateException("neither now nor later: " + when);
    }
    return when.substring(WAITING.length());
  }

  private static List<String> list(String cell) {
    return Arrays.stream(cell.split(",")).filter(part -> !part.isBlank()).toList();
  }

  /**
   * All rules.
   *
   * @return the rules in the order of their ids
   */
  public List<Requirement> rules() {
    return List.copyOf(byId.values());
  }

  /**
   * One rule.
   *
   * @param id its id
   * @return the rule, or null if there is none with this id
   */
  public @Nullable Requirement rule(String id) {
    return byId.get(id);
  }

  /**
   * The sections.
   *
   * @return their short names, in the order of the man page
   */
  public Set<String> groups() {
    return byId.values().stream()
        .map(Requirement::group)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }
}
