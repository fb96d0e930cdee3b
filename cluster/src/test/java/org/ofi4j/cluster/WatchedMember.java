// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.lang.ProcessBuilder.Redirect;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** A {@link MemberProcess} as the referee sees it. A thread reads along what it says. */
final class WatchedMember {
  /** Hears what processes say and what is wrong about it; from many threads. */
  interface Listener {
    /** A line of a process. */
    void said(WatchedMember member, String line);

    /** An event, before the view knows of it. */
    void heard(WatchedMember member, String event);

    /** Its join has succeeded. */
    default void joined(WatchedMember member, View.Told as) {}

    /** It was asked for its state. */
    default void answered(WatchedMember member, long incarnation, Membership.State state) {}

    /** Something is not as it must be. */
    void found(String finding);

    /** The same, unless the member of an incarnation has left or lost its session. */
    default void foundUnlessAway(long incarnation, String finding) {
      found(finding);
    }
  }

  /** A session with ZooKeeper. */
  record Session(long id, byte[] password) {}

  final MemberProcess.Setting setting;

  /** What it should have in its vector. */
  final View view;

  /** What it has sent, and what it has got, since somebody took it. */
  final BlockingQueue<String> sent = new LinkedBlockingQueue<>();

  final BlockingQueue<String> got = new LinkedBlockingQueue<>();

  /** Its answers to questions for its state. */
  final BlockingQueue<Membership.State> answers = new LinkedBlockingQueue<>();

  private final Collection<String> departed = new ConcurrentLinkedQueue<>();
  private final Listener listener;
  private final ChildJvm process;
  private final BufferedWriter input;
  private volatile View.@Nullable Told published;
  private volatile @Nullable Session session;
  private volatile boolean hasLostSession;
  private volatile long joinedIn;
  private volatile Membership.State state = Membership.State.CLOSED;
  private volatile String looked = "";
  private volatile boolean isMeantToEnd;

  WatchedMember(MemberProcess.Setting setting, Redirect log, Listener listener) {
    this.setting = setting;
    this.listener = listener;
    view =
        new View(
            setting.isJob(),
            finding -> listener.found(this + " heard " + finding),
            (later, finding) -> listener.foundUnlessAway(later, this + " heard " + finding));
    process =
        ChildJvm.start(MemberProcess.class.getName(), List.of("-Xmx64m"), log, setting.arguments());
    input = new BufferedWriter(new OutputStreamWriter(process.process().getOutputStream(), UTF_8));
    Thread.ofPlatform().daemon().name("reader of " + this).start(this::readAlong);
  }

  @Override
  public String toString() {
    return setting.group() + ":" + setting.name() + "[" + setting.address() + "]";
  }

  private void readAlong() {
    try (BufferedReader lines = process.process().inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        take(line);
      }
    } catch (IOException | RuntimeException failure) {
      listener.found(this + " cannot be understood: " + failure);
    }
    if (!isMeantToEnd) {
      listener.found(this + " has ended by itself");
    }
  }

  private void take(String line) {
    listener.said(this, line);
    String[] word = line.split(" ");
    switch (word[0]) {
      case "session" -> {
        hasLostSession = session != null;
        session = new Session(Long.parseLong(word[1]), HexFormat.of().parseHex(word[2]));
      }
      case "joined" -> {
        View.Told now = new View.Told(setting.name(), Long.parseLong(word[1]), word[2]);
        joinedIn = Long.parseLong(word[3]);
        joined(now);
        listener.joined(this, now);
      }
      // Its session was lost just when it had joined.
      case "late" -> {
        joined(new View.Told(setting.name(), Long.parseLong(word[1]), word[2]));
        state = Membership.State.LOST;
      }
      case "left" -> published = null;
      case "state" -> state = Membership.State.valueOf(word[2]);
      case "is" -> {
        Membership.State answer = Membership.State.valueOf(word[2]);
        answers.add(answer);
        listener.answered(this, Long.parseLong(word[1]), answer);
      }
      case "again" -> {}
      case "vector" -> looked = line.substring("vector ".length());
      case "sent" -> sent.add(line.substring("sent ".length()));
      case "got" -> got(line.substring("got ".length()), word[1], word[2], word[4]);
      default -> {
        if (word[0].equals("-")) {
          departed.add(word[1]);
        }
        listener.heard(this, line);
        view.heard(line);
      }
    }
  }

  private void joined(View.Told now) {
    published = now;
    state = Membership.State.JOINED;
    if (!now.address().equals(setting.address())) {
      listener.found(this + " is published at " + now.address());
    }
  }

  private void got(String text, String from, String to, String source) {
    got.add(text.substring(0, text.lastIndexOf(' ')));
    if (!to.equals(setting.name()) || !source.equals(from)) {
      listener.found(this + " got what was meant for another, or is from another: " + text);
    }
  }

  /** The member that it is; null as long as it is not published. */
  View.@Nullable Told published() {
    return published;
  }

  /** Whether it is published, and has said of no loss since then. */
  boolean isJoined() {
    return published != null && state == Membership.State.JOINED;
  }

  /** Whether it has said that another process has its rank. */
  boolean isReplaced() {
    return state == Membership.State.REPLACED;
  }

  /** Whether the session in which it joined has ended, as it has another one. */
  boolean hasOutlivedItsSession() {
    Session now = session;
    return joinedIn != 0 && now != null && now.id() != joinedIn;
  }

  /** Its session; null before it had one. */
  @Nullable Session session() {
    return session;
  }

  /** Whether it is published with an incarnation, and was so in one session all the time. */
  boolean hasStayed(long incarnation) {
    View.Told now = published;
    return now != null && now.incarnation() == incarnation && !hasLostSession;
  }

  /** Who it said has left, in this order. */
  Collection<String> departed() {
    return departed;
  }

  /** What it answered to a command {@code look}: by handle, address and name; null if not yet. */
  @Nullable Map<Long, String> looked(int number) {
    String[] word = looked.split(" ");
    if (!word[0].equals(Integer.toString(number))) {
      return null;
    }
    Map<Long, String> vector = new TreeMap<>();
    for (int i = 1; i < word.length; i++) {
      String[] entry = word[i].split("=", 2);
      vector.put(Long.parseLong(entry[0]), entry[1]);
    }
    return vector;
  }

  /** Has it do something. */
  void tell(String command) {
    try {
      input.write(command + "\n");
      input.flush();
    } catch (IOException dead) {
      if (isMeantToEnd) {
        return;
      }
      listener.found(this + " does not take \"" + command + "\": " + dead);
    }
  }

  /** What signals do to it. */
  ChildJvm process() {
    return process;
  }

  boolean isMeantToEnd() {
    return isMeantToEnd;
  }

  /** It is no finding any more if it ends. */
  void expectEnd() {
    isMeantToEnd = true;
  }

  /** Ends it as {@code kill -9} does. */
  void kill() {
    expectEnd();
    process.kill();
  }
}
