// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cluster.GroupView;
import org.ofi4j.cluster.Member;
import org.ofi4j.cluster.MemberEvent;
import org.ofi4j.cluster.MemberListener;

/** The members of a group on a terminal, drawn anew over itself with each change. */
final class LiveTable implements MemberListener {
  /** Above and below the members: title, the last change, and where the cursor is. */
  private static final int OTHER_LINES = 3;

  private final Terminal terminal;

  /** Guarded by this. */
  private @Nullable GroupView view;

  private String last = "";
  private int drawn;

  LiveTable(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Draws it for the first time. */
  synchronized void begin(GroupView of) {
    view = of;
    draw(of);
  }

  @Override
  public synchronized void heard(MemberEvent event) {
    if (view != null) {
      last =
          EventLines.now()
              + "  "
              + MemberTexts.word(event)
              + "  "
              + MemberTexts.line(event.member());
      draw(view);
    }
  }

  private void draw(GroupView of) {
    List<String> lines = lines(of);
    StringBuilder text = new StringBuilder();
    if (drawn > 0) {
      // Up to the first line, and clear from there.
      text.append("\033[").append(drawn).append("A\033[J");
    }
    lines.forEach(line -> text.append(line).append(System.lineSeparator()));
    drawn = lines.size();
    terminal.out().print(text);
    terminal.out().flush();
  }

  private List<String> lines(GroupView of) {
    List<Member> members = of.members();
    int room = Math.max(1, terminal.rows() - OTHER_LINES);
    boolean fits = members.size() <= room;
    List<String> lines = new ArrayList<>();
    // Cut before it is bold: what makes it so has no width, and must stay whole.
    lines.add(terminal.bold(cut(MemberTexts.title(of.info(), members.size()))));
    for (Member each : fits ? members : members.subList(0, room - 1)) {
      lines.add(cut("  " + MemberTexts.line(each)));
    }
    if (!fits) {
      lines.add(cut("  and " + Numbers.count(members.size() - room + 1L) + " more"));
    }
    lines.add(cut(last));
    return lines;
  }

  /** A line that goes on in the next one would make the table longer than it counts. */
  private String cut(String line) {
    int most = terminal.outColumns() - 1;
    return line.length() <= most ? line : line.substring(0, most);
  }
}
