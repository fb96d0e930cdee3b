// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;

/** Messages that are put aside, over the providers of the arguments; receives that name sources. */
final class MatchingProgram {
  private static final long TAG = 0x7000_0000_0000_0007L;
  private static final int SIZE = 40;

  private MatchingProgram() {}

  /** What can be done with a rig. */
  interface Use {
    void of(Rig rig) throws Exception;
  }

  /** A scenario for a rig that was opened with hints. */
  interface Opened {
    void with(Hints hints, Use use) throws Exception;
  }

  public static void main(String[] arguments) {
    Scenarios scenarios = new Scenarios();
    for (String provider : arguments) {
      for (Progress progress : List.of(Progress.MANUAL, Progress.AUTO)) {
        Hints hints =
            Rig.hints(provider)
                .withCapabilities(Capability.MSG, Capability.TAGGED)
                .withProgress(progress);
        String name = provider + ", " + progress + ": ";
        addClaims(scenarios, name, hints, MatchingProgram::open);
      }
    }
    scenarios.runAndExit();
  }

  private static void open(Hints hints, Use use) throws Exception {
    try (Rig rig = new Rig(hints)) {
      use.of(rig);
    }
  }

  static void addClaims(Scenarios scenarios, String name, Hints hints, Opened opened) {
    scenarios.add(
        name + "messages that are put aside", () -> opened.with(hints, MatchingProgram::claims));
    scenarios.add(
        name + "more than may be put aside", () -> opened.with(hints, MatchingProgram::fullClaims));
    scenarios.add(
        name + "messages that are put aside when all is closed",
        () -> opened.with(hints, MatchingProgram::closedClaims));
  }

  static void addDirected(Scenarios scenarios, String name, Hints plain, Opened opened) {
    Hints hints = plain.withMoreCapabilities(Capability.DIRECTED_RECEIVE);
    for (boolean tagged : new boolean[] {false, true}) {
      String kind = name + (tagged ? "tagged " : "") + "receives ";
      scenarios.add(
          kind + "of two senders", () -> opened.with(hints, rig -> twoSenders(rig, tagged)));
      scenarios.add(
          kind + "of a sender that comes back",
          () -> opened.with(hints, rig -> comesBack(rig, tagged)));
      scenarios.add(
          kind + "of a sender whose place another one takes",
          () -> opened.with(hints, rig -> replaced(rig, tagged)));
      scenarios.add(
          kind + "of nobody, and after closing",
          () -> opened.with(hints, rig -> nobody(rig, tagged)));
    }
    scenarios.add(
        name + "receives that must name their source",
        () ->
            opened.with(
                plain.withMoreCapabilities(Capability.EXACT_DIRECTED_RECEIVE),
                MatchingProgram::exact));
    scenarios.add(
        name + "tagged receives alone that name their source",
        () ->
            opened.with(
                plain.withMoreCapabilities(Capability.TAGGED_DIRECTED_RECEIVE),
                rig -> twoSenders(rig, true)));
  }

  // What is done again and again.

  /** Posts until there is room, and moves data meanwhile. */
  private interface Post {
    boolean tried();
  }

  private static void until(Rig rig, Post post) {
    while (!post.tried()) {
      rig.move();
    }
  }

  /** Sends a message, of which nothing but its arrival is looked at. */
  private static void send(Rig rig, ReliableEndpoint from, long to, boolean tagged, int seed) {
    MemorySegment message = pattern(memory(SIZE), seed);
    until(
        rig,
        () ->
            tagged
                ? from.tryInjectTagged(
                    new TaggedSendRequest().memory(message).destination(to).tag(TAG))
                : from.tryInject(message, to));
  }

  private static MemorySegment receive(
      Rig rig, ReliableEndpoint by, long source, boolean tagged, Object as) {
    MemorySegment buffer = memory(SIZE);
    until(
        rig,
        () ->
            tagged
                ? by.tryReceiveTagged(
                    new TaggedReceiveRequest().memory(buffer).source(source).tag(TAG).context(as))
                : by.tryReceive(new ReceiveRequest().memory(buffer).source(source).context(as)));
    return buffer;
  }

  private static Completion search(Rig rig, ReliableEndpoint by, ReceiveMode mode, Object as)
      throws Exception {
    return search(rig, by, mode, as, memory(SIZE));
  }

  private static Completion search(
      Rig rig, ReliableEndpoint by, ReceiveMode mode, Object as, MemorySegment buffer)
      throws Exception {
    TaggedReceiveRequest request =
        new TaggedReceiveRequest().memory(buffer).tag(TAG).mode(mode).context(as);
    until(rig, () -> by.tryReceiveTagged(request));
    return rig.next(as);
  }

  /** Searches until the message has come. */
  private static Completion.Success found(Rig rig, ReliableEndpoint by, ReceiveMode mode, Object as)
      throws Exception {
    Completion next = search(rig, by, mode, as);
    while (next instanceof Completion.Failure failure) {
      assertThat(failure.errno()).isEqualTo(Errno.ENOMSG);
      next = search(rig, by, mode, as);
    }
    return (Completion.Success) next;
  }

  private static void assertNoMessage(Completion completion) {
    assertThat(completion)
        .isInstanceOfSatisfying(
            Completion.Failure.class,
            failure -> assertThat(failure.errno()).isEqualTo(Errno.ENOMSG));
  }

  private static void assertTaken(Rig rig, Object context, MemorySegment buffer, int seed)
      throws Exception {
    assertThat(rig.success(context).length()).isEqualTo(SIZE);
    assertPattern(buffer, SIZE, seed);
  }

  // Messages that are put aside.

  private static void claims(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    Object first = new Object();
    Object second = new Object();
    assertNoMessage(search(rig, two, ReceiveMode.PEEK_AND_CLAIM, first));
    assertNoMessage(search(rig, two, ReceiveMode.CLAIM, first));
    for (int seed = 1; seed <= 4; seed++) {
      send(rig, one, toTwo, true, seed);
    }
    Completion.Success found = found(rig, two, ReceiveMode.PEEK_AND_CLAIM, first);
    assertThat(found.length()).isEqualTo(SIZE);
    assertThat(found.tag()).isEqualTo(TAG);
    found(rig, two, ReceiveMode.PEEK_AND_CLAIM, second);
    assertThat(two.statistics().outstandingReceives()).isZero();
    assertThat(two.cancel(first)).isFalse();
    // Nobody else gets them.
    MemorySegment other = receive(rig, two, Handles.UNSPECIFIED, true, "third");
    assertTaken(rig, "third", other, 3);
    assertNoMessage(search(rig, two, ReceiveMode.CLAIM, "another context"));
    MemorySegment buffer = memory(SIZE + 9);
    Completion taken = search(rig, two, ReceiveMode.CLAIM, second, buffer);
    assertThat(taken)
        .isInstanceOfSatisfying(
            Completion.Success.class,
            success -> {
              assertThat(success.length()).isEqualTo(SIZE);
              assertThat(success.tag()).isEqualTo(TAG);
            });
    assertPattern(buffer, SIZE, 2);
    assertNoMessage(search(rig, two, ReceiveMode.CLAIM, second));
    assertThat(search(rig, two, ReceiveMode.DISCARD_CLAIMED, first))
        .isInstanceOfSatisfying(
            Completion.Success.class, dropped -> assertThat(dropped.length()).isEqualTo(SIZE));
    assertNoMessage(search(rig, two, ReceiveMode.DISCARD_CLAIMED, first));
    // One after the other with the same context.
    send(rig, one, toTwo, true, 5);
    found(rig, two, ReceiveMode.PEEK_AND_CLAIM, first);
    found(rig, two, ReceiveMode.PEEK_AND_CLAIM, first);
    for (int seed = 4; seed <= 5; seed++) {
      assertThat(search(rig, two, ReceiveMode.CLAIM, first, buffer))
          .isInstanceOf(Completion.Success.class);
      assertPattern(buffer, SIZE, seed);
    }
    assertThat(two.statistics().outstandingReceives()).isZero();
    assertRefused(() -> search(rig, two, ReceiveMode.PEEK_AND_CLAIM, null), Errno.EINVAL);
    assertRefused(
        () -> two.tryReceive(new ReceiveRequest().mode(ReceiveMode.PEEK).context(first)),
        Errno.ENOSYS);
  }

  private static void assertRefused(Scenarios.Scenario call, Errno errno) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(errno));
  }

  private static void fullClaims(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    List<Object> contexts = new ArrayList<>();
    for (int i = 0; i < two.info().receive().size(); i++) {
      send(rig, one, toTwo, true, i);
      contexts.add(new Object());
      found(rig, two, ReceiveMode.PEEK_AND_CLAIM, contexts.getLast());
    }
    send(rig, one, toTwo, true, 99);
    assertThatThrownBy(() -> search(rig, two, ReceiveMode.PEEK_AND_CLAIM, "one too many"))
        .hasMessageContaining(contexts.size() + " messages are put aside");
    MemorySegment buffer = memory(SIZE);
    for (int i = contexts.size() - 1; i >= 0; i--) {
      assertThat(search(rig, two, ReceiveMode.CLAIM, contexts.get(i), buffer))
          .isInstanceOf(Completion.Success.class);
      assertPattern(buffer, SIZE, i);
    }
    found(rig, two, ReceiveMode.PEEK_AND_CLAIM, "one too many");
  }

  /** What is put aside goes with the endpoint, and the others go on. */
  private static void closedClaims(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    for (int round = 0; round < 3; round++) {
      ReliableEndpoint brief = rig.endpoint();
      long toBrief = rig.insert(brief);
      send(rig, one, toBrief, true, 1);
      send(rig, one, toBrief, true, 2);
      found(rig, brief, ReceiveMode.PEEK_AND_CLAIM, "first");
      found(rig, brief, ReceiveMode.PEEK_AND_CLAIM, "second");
      brief.close();
      rig.vector.remove(toBrief);
    }
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    MemorySegment buffer = receive(rig, two, Handles.UNSPECIFIED, true, "received");
    send(rig, one, toTwo, true, 3);
    assertTaken(rig, "received", buffer, 3);
  }

  // Receives that name their source.

  private static void twoSenders(Rig rig, boolean tagged) throws Exception {
    ReliableEndpoint server = rig.endpoint();
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toServer = rig.insert(server);
    // It comes before its sender is known.
    send(rig, one, toServer, tagged, 9);
    long ofTwo = rig.insert(two);
    MemorySegment early = receive(rig, server, ofTwo, tagged, "of two");
    long ofOne = rig.insert(one);
    assertTaken(rig, "first", receive(rig, server, ofOne, tagged, "first"), 9);
    for (int i = 0; i < 5; i++) {
      MemorySegment any = receive(rig, server, Handles.UNSPECIFIED, tagged, "any");
      send(rig, one, toServer, tagged, i);
      assertTaken(rig, "any", any, i);
      MemorySegment later = receive(rig, server, Handles.UNSPECIFIED, tagged, "later");
      send(rig, two, toServer, tagged, 10 + i);
      assertTaken(rig, "of two", early, 10 + i);
      send(rig, two, toServer, tagged, 20 + i);
      assertTaken(rig, "later", later, 20 + i);
      early = receive(rig, server, ofTwo, tagged, "of two");
    }
    assertThat(server.cancel("of two")).isTrue();
    assertThat(rig.failure("of two").errno()).isEqualTo(Errno.ECANCELED);
    assertThat(server.statistics().outstandingReceives()).isZero();
  }

  private static void comesBack(Rig rig, boolean tagged) throws Exception {
    ReliableEndpoint server = rig.endpoint();
    ReliableEndpoint one = rig.endpoint();
    long toServer = rig.insert(server);
    for (int i = 0; i < 4; i++) {
      long before = rig.insert(one);
      Object old = new Object();
      receive(rig, server, before, tagged, old);
      rig.vector.remove(before);
      long again = rig.insert(one);
      send(rig, one, toServer, tagged, i);
      assertTaken(rig, "new", receive(rig, server, again, tagged, "new"), i);
      assertThat(server.statistics().outstandingReceives()).isEqualTo(1);
      assertThat(server.cancel(old)).isTrue();
      assertThat(rig.failure(old).errno()).isEqualTo(Errno.ECANCELED);
      assertThat(server.cancel(old)).isFalse();
      rig.vector.remove(again);
    }
  }

  private static void replaced(Rig rig, boolean tagged) throws Exception {
    ReliableEndpoint server = rig.endpoint();
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toServer = rig.insert(server);
    long handle = rig.insert(one);
    Object old = new Object();
    receive(rig, server, handle, tagged, old);
    rig.vector.replace(handle, two.address());
    send(rig, one, toServer, tagged, 1);
    MemorySegment ofTwo = receive(rig, server, handle, tagged, "of two");
    send(rig, two, toServer, tagged, 2);
    assertTaken(rig, "of two", ofTwo, 2);
    // A message of a peer that is gone is not given to whoever comes next.
    rig.vector.remove(handle);
    for (int i = 0; i < 100; i++) {
      ReliableEndpoint next = i == 0 ? rig.endpoint() : two;
      long its = rig.insert(next);
      Object none = new Object();
      receive(rig, server, its, tagged, none);
      rig.move();
      assertThat(server.cancel(none)).isTrue();
      assertThat(rig.failure(none).errno()).isEqualTo(Errno.ECANCELED);
      rig.vector.remove(its);
    }
    long ofOne = rig.insert(one);
    assertTaken(rig, "of one", receive(rig, server, ofOne, tagged, "of one"), 1);
    assertThat(server.cancel(old)).isTrue();
    assertThat(rig.failure(old).errno()).isEqualTo(Errno.ECANCELED);
  }

  private static void nobody(Rig rig, boolean tagged) throws Exception {
    ReliableEndpoint server = rig.endpoint();
    ReliableEndpoint one = rig.endpoint();
    long gone = rig.insert(one);
    rig.vector.remove(gone);
    for (long none : new long[] {gone, 77, 1L << 40, Long.MIN_VALUE}) {
      assertThatThrownBy(() -> receive(rig, server, none, tagged, "nobody's"))
          .hasMessageContaining("source " + none)
          .isInstanceOfSatisfying(
              FabricException.class,
              refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL));
    }
    assertThat(server.statistics().outstandingReceives()).isZero();
    long ofOne = rig.insert(one);
    receive(rig, server, ofOne, tagged, "standing");
    receive(rig, server, ofOne, tagged, "standing too");
    rig.vector.remove(ofOne);
    ofOne = rig.insert(one);
    receive(rig, server, ofOne, tagged, "standing too");
    server.close();
    assertThat(rig.next(Duration.ofMillis(1))).isNull();
    rig.vector.remove(ofOne);
  }

  private static void exact(Rig rig) throws Exception {
    ReliableEndpoint server = rig.endpoint();
    ReliableEndpoint one = rig.endpoint();
    long toServer = rig.insert(server);
    long ofOne = rig.insert(one);
    for (boolean tagged : new boolean[] {false, true}) {
      assertRefused(() -> receive(rig, server, Handles.UNSPECIFIED, tagged, "any"), Errno.EINVAL);
      assertRefused(() -> server.tryReceive(memory(1), "any"), Errno.EINVAL);
      MemorySegment buffer = receive(rig, server, ofOne, tagged, "received");
      send(rig, one, toServer, tagged, 4);
      assertTaken(rig, "received", buffer, 4);
    }
  }
}
