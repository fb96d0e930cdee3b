// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one process should have in its vector by what its listener heard, and whether that may be: a
 * handle is one member's, a member keeps its handle, and each event fits those before. Safe to call
 * from any thread.
 */
final class View {
  private final boolean isJob;
  private final Consumer<String> findings;

  /** Hears of a member that is an older one again: the later incarnation, and the finding. */
  private final BiConsumer<Long, String> returns;

  /** By name; of a job also those that have left. */
  private final Map<String, Entry> entries = new TreeMap<>();

  private final Map<Long, String> handles = new HashMap<>();

  /** The latest incarnation of each name that was ever heard of. */
  private final Map<String, Long> latest = new HashMap<>();

  View(boolean isJob, Consumer<String> findings, BiConsumer<Long, String> returns) {
    this.isJob = isJob;
    this.findings = findings;
    this.returns = returns;
  }

  /** A member as events tell of it. */
  record Told(String name, long incarnation, String address) {}

  /** A member with its handle; whether it is there. */
  record Entry(Told member, long handle, boolean isPresent) {}

  /** Takes an event as {@link MemberProcess} writes it. */
  synchronized void heard(String line) {
    String[] word = line.split(" ");
    Told member = new Told(word[1], Long.parseLong(word[2]), word[3]);
    Entry before = entries.get(member.name());
    switch (word[0]) {
      case "+" -> joined(line, before, new Entry(member, Long.parseLong(word[4]), true));
      case "-" -> left(line, before, new Entry(member, Long.parseLong(word[4]), true));
      case ">" -> {
        Told former = new Told(word[1], Long.parseLong(word[5]), word[6]);
        moved(line, before, former, new Entry(member, Long.parseLong(word[4]), true));
      }
      case "!" -> require(before == null || !before.isPresent(), line, before);
      default -> findings.accept("no event: " + line);
    }
  }

  private void require(boolean isRight, String line, @Nullable Entry before) {
    if (!isRight) {
      findings.accept("\"" + line + "\" does not fit what was: " + before);
    }
  }

  private void joined(String line, @Nullable Entry before, Entry now) {
    require(before == null || (isJob && !before.isPresent()), line, before);
    require(before == null || before.handle() == now.handle(), line, before);
    put(line, now, findings);
  }

  private void left(String line, @Nullable Entry before, Entry as) {
    require(as.equals(before), line, before);
    if (isJob) {
      entries.put(as.member().name(), new Entry(as.member(), as.handle(), false));
    } else {
      entries.remove(as.member().name());
      handles.remove(as.handle());
    }
  }

  private void moved(String line, @Nullable Entry before, Told former, Entry now) {
    require(before != null && before.equals(new Entry(former, now.handle(), true)), line, before);
    put(line, now, isJob ? findings : finding -> returns.accept(former.incarnation(), finding));
  }

  private void put(String line, Entry now, Consumer<String> older) {
    Told member = now.member();
    String other = handles.put(now.handle(), member.name());
    if (other != null && !other.equals(member.name())) {
      findings.accept("\"" + line + "\", but the handle is that of " + other);
    }
    if (isJob && now.handle() != Long.parseLong(member.name())) {
      findings.accept("\"" + line + "\", but a rank's handle is the rank");
    }
    Long known = latest.put(member.name(), member.incarnation());
    if (known != null && known > member.incarnation()) {
      older.accept("\"" + line + "\" is older than incarnation " + known);
    }
    entries.put(member.name(), now);
  }

  /** Whether a name has an entry in the vector. */
  synchronized boolean has(String name) {
    return entries.containsKey(name);
  }

  /** Who is there, by name. */
  synchronized Map<String, Told> present() {
    Map<String, Told> present = new TreeMap<>();
    entries.forEach((name, each) -> {
      if (each.isPresent()) {
        present.put(name, each.member());
      }
    });
    return present;
  }

  /** What the vector should hold: by handle, address and name. */
  synchronized Map<Long, String> vector() {
    Map<Long, String> vector = new TreeMap<>();
    for (Entry each : entries.values()) {
      if (each.isPresent()) {
        vector.put(each.handle(), each.member().address() + "=" + each.member().name());
      }
    }
    return vector;
  }
}
