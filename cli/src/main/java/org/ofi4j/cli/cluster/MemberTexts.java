// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.util.Locale;
import java.util.stream.Collectors;
import org.ofi4j.Handles;
import org.ofi4j.Printable;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cluster.GroupInfo;
import org.ofi4j.cluster.Member;
import org.ofi4j.cluster.MemberEvent;
import org.ofi4j.cluster.Membership;
import tools.jackson.core.JsonGenerator;

/** Groups, members and events in words and as JSON. */
final class MemberTexts {
  private MemberTexts() {}

  static String kind(GroupInfo group) {
    return group.isJob() ? "job of " + Numbers.count(group.size()) : "service";
  }

  /** What stands above the members. */
  static String title(GroupInfo group, int members) {
    return Printable.line(group.name())
        + ", "
        + kind(group)
        + " with "
        + Numbers.count(members, "member");
  }

  /** A member, without its handle. */
  static String line(Member member) {
    String attributes =
        member.attributes().entrySet().stream()
            .map(each -> "  " + each.getKey() + "=" + each.getValue())
            .collect(Collectors.joining());
    String userId = member.userId().isPresent() ? "  user id " + member.userId().getAsLong() : "";
    return Printable.line(
        Numbers.format("%-20s  %-36s  %s", member.name(), member.address(), member.host())
            + userId
            + attributes);
  }

  /** The word for an event. */
  static String word(MemberEvent event) {
    return switch (event) {
      case MemberEvent.Joined _ -> "joined";
      case MemberEvent.Left _ -> "left";
      case MemberEvent.Moved _ -> "moved";
      case MemberEvent.Refused _ -> "refused";
      case MemberEvent.StateChanged _ -> "state";
    };
  }

  private static String word(Membership.State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  /** The handle of an event, or {@link Handles#NOT_AVAILABLE}. */
  static long handle(MemberEvent event) {
    return switch (event) {
      case MemberEvent.Joined joined -> joined.handle();
      case MemberEvent.Left left -> left.handle();
      case MemberEvent.Moved moved -> moved.handle();
      case MemberEvent.Refused _, MemberEvent.StateChanged _ -> Handles.NOT_AVAILABLE;
    };
  }

  /** An event, on one line. */
  static String line(Terminal terminal, MemberEvent event) {
    String word = Numbers.format("%-7s", word(event));
    String coloured =
        switch (event) {
          case MemberEvent.Joined _ -> terminal.good(word);
          case MemberEvent.Moved _ -> terminal.notable(word);
          case MemberEvent.Left _, MemberEvent.Refused _ -> terminal.bad(word);
          case MemberEvent.StateChanged(var _, var state) ->
              state == Membership.State.JOINED ? terminal.good(word) : terminal.bad(word);
        };
    long handle = handle(event);
    String text = coloured + (handle == Handles.NOT_AVAILABLE ? "" : "  handle " + handle);
    text += "  " + line(event.member());
    return switch (event) {
      case MemberEvent.Moved moved
          when !moved.former().address().equals(moved.member().address()) ->
          text + "  was " + Printable.line(moved.former().address().toString());
      case MemberEvent.Refused refused -> text + "  " + Printable.line(refused.reason());
      case MemberEvent.StateChanged own -> text + "  is " + word(own.state());
      default -> text;
    };
  }

  static void fields(JsonGenerator json, GroupInfo group) {
    json.writeStringProperty("group", group.name())
        .writeStringProperty("kind", group.isJob() ? "job" : "service")
        .writeNumberProperty("size", group.size())
        .writeStringProperty("format", FabricNames.of(group.format()));
  }

  static void fields(JsonGenerator json, MemberEvent event) {
    json.writeStringProperty("event", word(event));
    long handle = handle(event);
    if (handle != Handles.NOT_AVAILABLE) {
      json.writeStringProperty("handle", Long.toUnsignedString(handle));
    }
    fields(json, event.member());
    if (event instanceof MemberEvent.Moved moved) {
      json.writeStringProperty("former", moved.former().address().toString());
    } else if (event instanceof MemberEvent.Refused refused) {
      json.writeStringProperty("error", refused.errno().name())
          .writeStringProperty("reason", refused.reason());
    } else if (event instanceof MemberEvent.StateChanged own) {
      json.writeStringProperty("state", word(own.state()));
    }
  }

  static void fields(JsonGenerator json, Member member) {
    json.writeStringProperty("name", member.name());
    member.rank().ifPresent(rank -> json.writeNumberProperty("rank", rank));
    json.writeStringProperty("address", member.address().toString())
        .writeStringProperty("host", member.host())
        .writeStringProperty("incarnation", Long.toString(member.incarnation()));
    if (member.userId().isPresent()) {
      json.writeStringProperty("userId", Long.toUnsignedString(member.userId().getAsLong()));
    }
    json.writeObjectPropertyStart("attributes");
    member.attributes().forEach(json::writeStringProperty);
    json.writeEndObject();
  }
}
