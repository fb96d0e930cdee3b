// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;
import org.ofi4j.Printable;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cluster.GroupInfo;
import org.ofi4j.cluster.GroupView;
import org.ofi4j.cluster.Member;
import org.ofi4j.cluster.MemberListener;
import tools.jackson.core.JsonGenerator;

/** Prints what groups there are, or who is in one. */
record ListRun(Terminal terminal, boolean json) {
  private static final Duration SESSION = Duration.ofSeconds(10);

  void run(WhichServers where, @Nullable String group) {
    try (Connection connection = Connection.open(where, SESSION)) {
      if (group == null) {
        groups(connection.cluster().groups(), where);
      } else {
        try (GroupView view = connection.cluster().view(group, MemberListener.none())) {
          members(view.info(), view.members());
        } catch (FabricException failure) {
          throw Connection.asUsage(failure);
        }
      }
    }
  }

  private void groups(List<GroupInfo> groups, WhichServers where) {
    if (json) {
      try (JsonGenerator document = new JsonDocument(terminal.out())) {
        document.writeStartObject().writeArrayPropertyStart("groups");
        for (GroupInfo each : groups) {
          document.writeStartObject();
          MemberTexts.fields(document, each);
          document.writeEndObject();
        }
      }
      return;
    }
    if (groups.isEmpty()) {
      terminal.out().println("There is no group below " + where.root() + ".");
    }
    for (GroupInfo each : groups) {
      line(
          Numbers.format(
              "%-24s  %-14s  %s",
              Printable.line(each.name()), MemberTexts.kind(each), FabricNames.of(each.format())));
    }
  }

  private void members(GroupInfo group, List<Member> members) {
    if (json) {
      try (JsonGenerator document = new JsonDocument(terminal.out())) {
        document.writeStartObject();
        MemberTexts.fields(document, group);
        document.writeArrayPropertyStart("members");
        for (Member each : members) {
          document.writeStartObject();
          MemberTexts.fields(document, each);
          document.writeEndObject();
        }
      }
      return;
    }
    terminal.out().println(terminal.bold(MemberTexts.title(group, members.size())));
    members.forEach(each -> line("  " + MemberTexts.line(each)));
  }

  private void line(String line) {
    terminal.printFolded(line, 4);
  }
}
