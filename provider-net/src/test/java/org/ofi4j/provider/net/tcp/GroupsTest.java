// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Rig;

/** Peer groups: what a message of one is received by, and what is refused. */
class GroupsTest {
  private static final int MOST = 1_000;
  private static final int LARGE = 3_000_000;
  private static final Duration BRIEFLY = Duration.ofMillis(100);
  private static final boolean[] BOTH = {false, true};

  static List<Hints> kinds() {
    return Rig.tcpKinds().stream().map(each -> each.withMaxGroupId(MOST)).toList();
  }

  /** Without and with directed receives. */
  static List<Hints> all() {
    List<Hints> all = new ArrayList<>(kinds());
    kinds().forEach(each -> all.add(each.withMoreCapabilities(Capability.DIRECTED_RECEIVE)));
    return all;
  }

  private static Hints plain() {
    return Rig.tcp("127.0.0.1", Progress.AUTO);
  }

  private static Hints grouped() {
    return plain().withMaxGroupId(MOST);
  }

  private static long in(int group, long handle) {
    return Handles.inGroup(handle, group);
  }

  private static long any(int group) {
    return Handles.anySourceInGroup(group);
  }

  private static void send(Rig from, boolean tagged, String text, long to) {
    if (tagged) {
      from.endpoint()
          .sendTagged(new TaggedSendRequest().memory(Rig.message(text)).destination(to).tag(7));
    } else {
      from.endpoint().send(Rig.message(text), to, null);
    }
  }

  private static void receive(
      Rig at, boolean tagged, MemorySegment buffer, long from, Object context) {
    if (tagged) {
      at.endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .source(from)
                  .pattern(TagPattern.exactly(7))
                  .context(context));
    } else {
      at.endpoint().receive(new ReceiveRequest().memory(buffer).source(from).context(context));
    }
  }

  /** The next receive that completes, which is successful. */
  private static Completion.Success received(Rig at, Rig... others) throws Exception {
    while (true) {
      Completion next = at.next(others);
      assertThat(next).isInstanceOf(Completion.Success.class);
      if ((((Completion.Success) next).flags() & CompletionFlag.RECEIVE.mask()) != 0) {
        return (Completion.Success) next;
      }
    }
  }

  /** That nothing is received, after whatever is under way had time to come. */
  private static void assertSilence(Rig at, Rig... others) throws Exception {
    long end = System.nanoTime() + BRIEFLY.toNanos();
    while (System.nanoTime() - end < 0) {
      for (Rig other : others) {
        other.move(Duration.ZERO);
      }
      Completion next = at.next(Duration.ofMillis(1));
      if (next instanceof Completion.Success success) {
        assertThat(success.flags() & CompletionFlag.RECEIVE.mask()).isZero();
      } else {
        assertThat(next).isNull();
      }
    }
  }

  private static void assertRefused(ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
        .message()
        .contains(words);
  }

  @ParameterizedTest
  @MethodSource("all")
  @Tag("AV-194")
  @Tag("AV-198")
  @DisplayName("A message goes to the first receive of its group, whichever were posted before")
  void expected(Hints hints) throws Exception {
    try (Rig server = Rig.reliable(hints);
        Rig client = Rig.reliable(hints)) {
      long ofClient = server.insert(client);
      long toServer = client.insert(server);
      for (boolean tagged : BOTH) {
        MemorySegment[] buffers = new MemorySegment[4];
        long[] sources = {Handles.UNSPECIFIED, in(1, ofClient), any(2), in(MOST, ofClient)};
        for (int i = 0; i < 4; i++) {
          buffers[i] = Rig.buffer(16);
          receive(server, tagged, buffers[i], sources[i], i);
        }
        int[] groups = {MOST, 0, 2, 1};
        int[] takers = {3, 0, 2, 1};
        for (int i = 0; i < 4; i++) {
          send(client, tagged, "group " + groups[i], in(groups[i], toServer));
          Completion.Success next = received(server, client);
          assertThat(next.context()).isEqualTo(takers[i]);
          assertThat(Rig.text(buffers[takers[i]], next.length())).isEqualTo("group " + groups[i]);
          // The source bears no group (D-50).
          assertThat(next.source()).isEqualTo(ofClient);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  @Tag("AV-198")
  @DisplayName("A message that came first waits for a receive of its group")
  void unexpected(Hints hints) throws Exception {
    try (Rig server = Rig.reliable(hints);
        Rig client = Rig.reliable(hints)) {
      long ofClient = server.insert(client);
      long toServer = client.insert(server);
      MemorySegment buffer = Rig.buffer(16);
      for (boolean tagged : BOTH) {
        for (int group : new int[] {3, 0, 2, 3}) {
          send(client, tagged, "of " + group, in(group, toServer));
        }
        assertSilence(server, client);
        receive(server, tagged, buffer, any(1), "never");
        receive(server, tagged, buffer, in(2, ofClient), "two");
        assertThat(received(server, client).context()).isEqualTo("two");
        assertThat(Rig.text(buffer, 4)).isEqualTo("of 2");
        if (tagged) {
          server
              .endpoint()
              .receiveTagged(
                  new TaggedReceiveRequest()
                      .memory(buffer)
                      .source(in(3, ofClient))
                      .pattern(TagPattern.any())
                      .context("three"));
        } else {
          receive(server, false, buffer, in(3, ofClient), "three");
        }
        assertThat(received(server, client).context()).isEqualTo("three");
        receive(server, tagged, buffer, Handles.UNSPECIFIED, "none");
        assertThat(received(server, client).context()).isEqualTo("none");
        assertThat(Rig.text(buffer, 4)).isEqualTo("of 0");
        receive(server, tagged, buffer, any(3), "three again");
        assertThat(received(server, client).context()).isEqualTo("three again");
        assertSilence(server, client);
        assertThat(server.endpoint().cancel("never")).isTrue();
        assertThat(server.next()).isInstanceOf(Completion.Failure.class);
      }
    }
  }

  @Test
  @Tag("AV-194")
  @DisplayName("Who knows nothing of groups takes no message of one, and sends none")
  void unawareOfGroups() throws Exception {
    try (Rig server = Rig.reliable(grouped());
        Rig client = Rig.reliable(grouped());
        Rig plain = Rig.reliable(plain())) {
      server.insert(client);
      server.insert(plain);
      long toServer = client.insert(server);
      plain.insert(server);
      MemorySegment buffer = Rig.buffer(16);
      server.endpoint().receive(buffer, "unaware");
      client.endpoint().inject(Rig.message("group"), in(5, toServer));
      assertSilence(server, client);
      plain.endpoint().inject(Rig.message("plain"), 0);
      Completion.Success next = received(server);
      assertThat(next.context()).isEqualTo("unaware");
      assertThat(Rig.text(buffer, next.length())).isEqualTo("plain");
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-198")
  @DisplayName("Receives that are directed look at sender and group")
  void directed(Hints plain) throws Exception {
    Hints hints = plain.withMoreCapabilities(Capability.DIRECTED_RECEIVE);
    try (Rig server = Rig.reliable(hints);
        Rig one = Rig.reliable(hints);
        Rig two = Rig.reliable(hints)) {
      server.insert(one);
      long ofTwo = server.insert(two);
      long fromOne = one.insert(server);
      long fromTwo = two.insert(server);
      for (boolean tagged : BOTH) {
        MemorySegment buffer = Rig.buffer(16);
        receive(server, tagged, buffer, in(4, ofTwo), "two in 4");
        send(one, tagged, "a", in(4, fromOne));
        send(two, tagged, "b", in(5, fromTwo));
        assertSilence(server, one, two);
        send(two, tagged, "c", in(4, fromTwo));
        assertThat(received(server, one, two).context()).isEqualTo("two in 4");
        assertThat(Rig.text(buffer, 1)).isEqualTo("c");
        receive(server, tagged, buffer, any(5), "any in 5");
        assertThat(received(server, one, two).source()).isEqualTo(ofTwo);
        receive(server, tagged, buffer, any(4), "any in 4");
        assertThat(received(server, one, two).context()).isEqualTo("any in 4");
        assertThat(Rig.text(buffer, 1)).isEqualTo("a");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-198")
  @DisplayName("Looking for a message looks within a group")
  void searching(Hints hints) throws Exception {
    try (Rig server = Rig.reliable(hints);
        Rig client = Rig.reliable(hints)) {
      server.insert(client);
      long toServer = client.insert(server);
      ReliableEndpoint at = server.endpoint();
      for (String text : List.of("1", "22", "333")) {
        client
            .endpoint()
            .injectTagged(
                new TaggedSendRequest()
                    .memory(Rig.message(text))
                    .destination(in(6, toServer))
                    .tag(7));
      }
      client
          .endpoint()
          .injectTagged(
              new TaggedSendRequest()
                  .memory(Rig.message("4444"))
                  .destination(in(8, toServer))
                  .tag(7));
      at.receiveTagged(Rig.buffer(8), TagPattern.exactly(7), "all are there");
      client
          .endpoint()
          .injectTagged(
              new TaggedSendRequest().memory(Rig.message("last")).destination(toServer).tag(7));
      assertThat(received(server, client).context()).isEqualTo("all are there");

      for (long nowhere : new long[] {Handles.UNSPECIFIED, any(7), any(0)}) {
        at.receiveTagged(
            new TaggedReceiveRequest()
                .source(nowhere)
                .pattern(TagPattern.exactly(7))
                .mode(ReceiveMode.PEEK)
                .context("look"));
        Completion.Failure missing = (Completion.Failure) server.next(client);
        assertThat(missing.errno()).isEqualTo(Errno.ENOMSG);
      }
      at.receiveTagged(
          new TaggedReceiveRequest()
              .source(any(6))
              .pattern(TagPattern.exactly(7))
              .mode(ReceiveMode.PEEK)
              .context("look"));
      assertThat(received(server).length()).isEqualTo(1);
      at.receiveTagged(
          new TaggedReceiveRequest()
              .source(any(6))
              .pattern(TagPattern.exactly(7))
              .mode(ReceiveMode.PEEK_AND_CLAIM)
              .context("mine"));
      assertThat(received(server).length()).isEqualTo(1);
      at.receiveTagged(
          new TaggedReceiveRequest()
              .source(any(6))
              .pattern(TagPattern.exactly(7))
              .mode(ReceiveMode.PEEK_AND_DISCARD)
              .context("away"));
      assertThat(received(server).length()).isEqualTo(2);
      MemorySegment buffer = Rig.buffer(8);
      at.receiveTagged(
          new TaggedReceiveRequest()
              .memory(buffer)
              .source(any(6))
              .pattern(TagPattern.exactly(7))
              .mode(ReceiveMode.CLAIM)
              .context("mine"));
      assertThat(Rig.text(buffer, received(server).length())).isEqualTo("1");
      at.receiveTagged(
          new TaggedReceiveRequest()
              .memory(buffer)
              .source(any(6))
              .pattern(TagPattern.any())
              .context("rest"));
      assertThat(Rig.text(buffer, received(server).length())).isEqualTo("333");
      at.receiveTagged(
          new TaggedReceiveRequest()
              .memory(buffer)
              .source(any(8))
              .pattern(TagPattern.any())
              .context("other"));
      assertThat(Rig.text(buffer, received(server).length())).isEqualTo("4444");
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-198")
  @DisplayName("A buffer for several messages takes those of one group")
  void multiReceive(Hints plain) throws Exception {
    Hints hints = plain.withMoreCapabilities(Capability.MULTI_RECEIVE);
    try (Rig server = Rig.reliable(hints);
        Rig client = Rig.reliable(hints)) {
      server.insert(client);
      long toServer = client.insert(server);
      MemorySegment one = Rig.buffer(1000);
      MemorySegment two = Rig.buffer(1000);
      server
          .endpoint()
          .receive(
              new ReceiveRequest()
                  .memory(one)
                  .source(any(1))
                  .mode(ReceiveMode.SEVERAL_MESSAGES)
                  .context("one"));
      for (int i = 0; i < 10; i++) {
        client.endpoint().inject(Rig.message("m" + i), in(1 + i % 2, toServer));
      }
      for (int i = 0; i < 10; i += 2) {
        Completion.Success next = received(server, client);
        assertThat(next.context()).isEqualTo("one");
        assertThat(Rig.text(one.asSlice(next.tag()), 2)).isEqualTo("m" + i);
      }
      server
          .endpoint()
          .receive(
              new ReceiveRequest()
                  .memory(two)
                  .source(any(2))
                  .mode(ReceiveMode.SEVERAL_MESSAGES)
                  .context("two"));
      for (int i = 1; i < 10; i += 2) {
        Completion.Success next = received(server, client);
        assertThat(next.context()).isEqualTo("two");
        assertThat(Rig.text(two.asSlice(next.tag()), 2)).isEqualTo("m" + i);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-198")
  @DisplayName("Data, pieces and injected messages go to their group")
  void everyKindOfSend(Hints hints) throws Exception {
    try (Rig server = Rig.reliable(hints);
        Rig client = Rig.reliable(hints)) {
      server.insert(client);
      long to = in(9, client.insert(server));
      MemorySegment text = Rig.message("text");
      MemorySegment[] pieces = {Rig.message("te"), Rig.message("xt")};
      ReliableEndpoint from = client.endpoint();
      List<Runnable> sends =
          List.of(
              () -> from.inject(text, to),
              () -> from.inject(new SendRequest().memory(text).destination(to).data(5)),
              () ->
                  from.send(
                      new SendRequest()
                          .memory(text)
                          .destination(to)
                          .data(5)
                          .completes(CompletionLevel.DELIVERED)),
              () ->
                  from.send(
                      new SendRequest()
                          .parts(pieces)
                          .destination(to)
                          .data(5)
                          .completes(CompletionLevel.DELIVERED)),
              () -> from.injectTagged(new TaggedSendRequest().memory(text).destination(to).tag(7)),
              () ->
                  from.injectTagged(
                      new TaggedSendRequest().memory(text).destination(to).tag(7).data(5)),
              () ->
                  from.sendTagged(
                      new TaggedSendRequest()
                          .memory(text)
                          .destination(to)
                          .tag(7)
                          .data(5)
                          .completes(CompletionLevel.DELIVERED)),
              () ->
                  from.sendTagged(
                      new TaggedSendRequest()
                          .parts(pieces)
                          .destination(to)
                          .tag(7)
                          .data(5)
                          .completes(CompletionLevel.DELIVERED)));
      for (int i = 0; i < sends.size(); i++) {
        boolean tagged = i >= 4;
        MemorySegment buffer = Rig.buffer(16);
        receive(server, tagged, Rig.buffer(16), Handles.UNSPECIFIED, "not this one");
        receive(server, tagged, buffer, any(9), "received");
        sends.get(i).run();
        Completion.Success next = received(server, client);
        assertThat(next.context()).isEqualTo("received");
        assertThat(Rig.text(buffer, next.length())).isEqualTo("text");
        assertThat(next.data()).isEqualTo(i % 4 == 0 ? 0 : 5);
        assertThat(next.tag()).isEqualTo(tagged ? 7 : 0);
      }
    }
  }

  /** Announced, then sent: the announcement is what is matched. */
  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-198")
  @DisplayName("Large messages find receives of their group, before and after they are announced")
  void large(Hints hints) throws Exception {
    try (Rig server = Rig.reliable(hints);
        Rig client = Rig.reliable(hints)) {
      server.insert(client);
      long to = client.insert(server);
      MemorySegment one = Rig.buffer(LARGE).fill((byte) 1);
      MemorySegment two = Rig.buffer(LARGE).fill((byte) 2);
      for (boolean tagged : BOTH) {
        for (boolean early : BOTH) {
          MemorySegment buffer = Rig.buffer(LARGE);
          if (!early) {
            receive(server, tagged, buffer, any(2), "received");
          }
          if (tagged) {
            client
                .endpoint()
                .sendTagged(new TaggedSendRequest().memory(one).destination(in(1, to)).tag(7));
            client
                .endpoint()
                .sendTagged(new TaggedSendRequest().memory(two).destination(in(2, to)).tag(7));
          } else if (early) {
            // Untagged ones are not announced: the second waits behind the first.
            client.endpoint().send(two, in(2, to), null);
          } else {
            client.endpoint().send(two, in(2, to), null);
            client.endpoint().send(one, in(1, to), null);
          }
          if (early) {
            assertSilence(server, client);
            receive(server, tagged, buffer, any(2), "received");
          }
          assertThat(received(server, client).length()).isEqualTo(LARGE);
          assertThat(buffer.mismatch(two)).isEqualTo(-1);
          if (tagged || !early) {
            receive(server, tagged, buffer, any(1), "received");
            assertThat(received(server, client).length()).isEqualTo(LARGE);
            assertThat(buffer.mismatch(one)).isEqualTo(-1);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  @Tag("AV-198")
  @DisplayName("An endpoint that sends to itself has groups as well")
  void toItself(Hints hints) throws Exception {
    try (Rig rig = Rig.reliable(hints)) {
      long self = rig.insert(rig);
      MemorySegment buffer = Rig.buffer(16);
      receive(rig, true, buffer, Handles.UNSPECIFIED, "none");
      receive(rig, true, buffer, in(11, self), "eleven");
      send(rig, true, "of 12", in(12, self));
      send(rig, true, "of 11", in(11, self));
      assertThat(received(rig).context()).isEqualTo("eleven");
      assertThat(Rig.text(buffer, 5)).isEqualTo("of 11");
      receive(rig, true, buffer, any(12), "twelve");
      assertThat(received(rig).context()).isEqualTo("twelve");
    }
  }

  @Test
  @Tag("AV-147")
  @Tag("AV-199")
  @DisplayName("Groups above the largest are refused, at a send and at a receive")
  void overLarge() throws Exception {
    Hints[] kinds = {
      plain(), grouped(), grouped().withMoreCapabilities(Capability.DIRECTED_RECEIVE)
    };
    for (Hints hints : kinds) {
      try (Rig rig = Rig.reliable(hints)) {
        long self = rig.insert(rig);
        ReliableEndpoint endpoint = rig.endpoint();
        MemorySegment text = Rig.message("text");
        MemorySegment buffer = Rig.buffer(16);
        int first = hints.maxGroupId() + 1;
        for (int group : new int[] {first, 0x7FFF_FFFF, 0x8000_0000, -2}) {
          long to = in(group, self);
          // With its lower bits clear it is taken for a receive context.
          String[] words =
              group == 0x8000_0000 && hints.maxGroupId() == 0
                  ? new String[] {"0x" + Long.toHexString(to), "rx_ctx_bits"}
                  : new String[] {
                    "0x" + Long.toHexString(to), "largest is " + hints.maxGroupId(), "max_group_id"
                  };
          assertRefused(() -> endpoint.send(text, to, null), words);
          assertRefused(
              () ->
                  endpoint.sendTagged(new TaggedSendRequest().memory(text).destination(to).tag(7)),
              words);
          assertRefused(() -> endpoint.inject(text, to), words);
          assertRefused(
              () ->
                  endpoint.injectTagged(
                      new TaggedSendRequest().memory(text).destination(to).tag(7)),
              words);
          assertRefused(
              () -> endpoint.receive(new ReceiveRequest().memory(buffer).source(to)), words);
          assertRefused(
              () ->
                  endpoint.receiveTagged(
                      new TaggedReceiveRequest()
                          .memory(buffer)
                          .source(to)
                          .pattern(TagPattern.exactly(7))),
              words);
          assertRefused(
              () ->
                  endpoint.receiveTagged(
                      new TaggedReceiveRequest()
                          .memory(buffer)
                          .source(to)
                          .pattern(TagPattern.exactly(7))
                          .mode(ReceiveMode.PEEK)
                          .context("x")),
              words);
          assertRefused(
              () -> endpoint.receive(new ReceiveRequest().memory(buffer).source(any(group))),
              words[words.length - 1]);
        }
        // Nothing was posted, and nothing was sent.
        endpoint.receive(new ReceiveRequest().memory(buffer).source(any(0)).context("received"));
        endpoint.send(text, self, "sent");
        assertThat(received(rig).context()).isEqualTo("received");
      }
    }
  }

  @Test
  @Tag("AV-200")
  @DisplayName("Any source of a group is for receives alone, and not for exact ones")
  void anySource() throws Exception {
    try (Rig rig = Rig.reliable(grouped())) {
      rig.insert(rig);
      for (int group : new int[] {0, 1, MOST}) {
        assertRefused(
            () -> rig.endpoint().send(Rig.message("x"), any(group), null),
            "any source in peer group " + group);
        assertRefused(() -> rig.vector.lookup(any(group)), "any source in group " + group);
        assertRefused(() -> rig.vector.remove(any(group)), "any source in group " + group);
      }
    }
    try (Rig exact =
        Rig.reliable(grouped().withMoreCapabilities(Capability.EXACT_DIRECTED_RECEIVE))) {
      long self = exact.insert(exact);
      assertRefused(
          () -> exact.endpoint().receive(new ReceiveRequest().memory(Rig.buffer(8)).source(any(1))),
          "EXACT_DIRECTED_RECEIVE");
      exact
          .endpoint()
          .receive(
              new ReceiveRequest().memory(Rig.buffer(8)).source(in(1, self)).context("received"));
      exact.endpoint().inject(Rig.message("x"), in(1, self));
      assertThat(received(exact).context()).isEqualTo("received");
    }
  }

  @Test
  @Tag("AV-197")
  @DisplayName("Calls on the vector look past the group; what is reported has none")
  void vectorCalls() throws Exception {
    VectorOptions options = VectorOptions.table().withFlags(VectorFlag.USER_ID);
    Hints hints = grouped().withMoreCapabilities(Capability.AV_USER_ID);
    try (Rig rig = Rig.reliable(hints, options, CompletionQueueOptions.defaults());
        Rig other = Rig.reliable(grouped())) {
      long handle = rig.insert(other);
      long marked = in(77, handle);
      long toRig = other.insert(rig);
      assertThat(rig.vector.lookup(marked)).isEqualTo(other.name());
      rig.vector.setUserId(marked, new UserId(0xABCD));
      rig.endpoint()
          .receive(new ReceiveRequest().memory(Rig.buffer(8)).source(any(77)).context("received"));
      other.endpoint().inject(Rig.message("x"), in(77, toRig));
      assertThat(received(rig).source()).isEqualTo(0xABCD);
      rig.vector.remove(marked);
      assertRefused(() -> rig.vector.lookup(handle), "names no entry");
      assertRefused(() -> rig.endpoint().send(Rig.message("x"), marked, null), "names no entry");
      assertRefused(() -> rig.vector.remove(marked), "names no entry");
      assertRefused(() -> other.vector.lookup(in(MOST + 1, toRig)), "whose largest is " + MOST);
    }
  }

  @Test
  @Tag("AV-198")
  @DisplayName("A receive that is directed at an entry in a group ends with the entry")
  void directedReceivesDieWithTheirEntry() throws Exception {
    Hints hints = grouped().withMoreCapabilities(Capability.DIRECTED_RECEIVE);
    try (Rig server = Rig.reliable(hints);
        Rig client = Rig.reliable(hints)) {
      long ofClient = server.insert(client);
      long toServer = client.insert(server);
      server
          .endpoint()
          .receive(
              new ReceiveRequest().memory(Rig.buffer(8)).source(in(3, ofClient)).context("old"));
      server.vector.remove(ofClient);
      assertThat(server.insert(client)).isEqualTo(ofClient);
      client.endpoint().inject(Rig.message("x"), in(3, toServer));
      server
          .endpoint()
          .receive(
              new ReceiveRequest().memory(Rig.buffer(8)).source(in(3, ofClient)).context("new"));
      assertThat(received(server).context()).isEqualTo("new");
    }
  }

  @Test
  @Tag("AV-198")
  @DisplayName("Reading and writing of remote memory ignore the group")
  void remoteMemory() throws Exception {
    Hints hints = grouped().withMoreCapabilities(Capability.RMA);
    try (Rig server = Rig.reliable(hints);
        Rig client = Rig.reliable(hints)) {
      long toServer = client.insert(server);
      server.insert(client);
      MemorySegment memory = Rig.buffer(16);
      try (MemoryRegion region =
          server.domain.register(memory, Access.REMOTE_READ, Access.REMOTE_WRITE)) {
        MemorySegment local = Rig.buffer(16).fill((byte) 7);
        client
            .endpoint()
            .write(
                new WriteRequest()
                    .memory(local)
                    .destination(in(20, toServer))
                    .place(region.place())
                    .data(5)
                    .context("written")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(client.next()).isInstanceOf(Completion.Success.class);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 15)).isEqualTo((byte) 7);
        assertThat(((Completion.Success) server.next()).data()).isEqualTo(5);
        client.endpoint().read(local, in(21, toServer), region.place(), "read");
        assertThat(client.next()).isInstanceOf(Completion.Success.class);
        assertRefused(
            () -> client.endpoint().read(local, in(MOST + 1, toServer), region.place(), "read"),
            "max_group_id");
      }
    }
  }

  private static Completion.Failure failed(Rig at) throws Exception {
    Completion next = at.next();
    assertThat(next).isInstanceOf(Completion.Failure.class);
    return (Completion.Failure) next;
  }

  /** Whoever opens the connection, and whether it is open before the message is sent. */
  @Test
  @Tag("AV-198")
  @Tag("AV-199")
  @DisplayName("A message of a group that the peer does not take fails, and is not lost")
  void peersWithFewerGroups() throws Exception {
    for (int its : new int[] {0, 10}) {
      Hints hints = its == 0 ? plain() : grouped().withMaxGroupId(its);
      for (boolean itBegins : BOTH) {
        try (Rig rig = Rig.reliable(grouped());
            Rig peer = Rig.reliable(hints)) {
          long handle = rig.insert(peer);
          long back = peer.insert(rig);
          if (itBegins) {
            rig.endpoint().receive(Rig.buffer(8), "received");
            peer.endpoint().inject(Rig.message("x"), back);
            assertThat(received(rig).context()).isEqualTo("received");
          }
          for (int i = 0; i < 2; i++) {
            rig.endpoint().send(Rig.message("lost?"), in(11, handle), "sent");
            Completion.Failure failure = failed(rig);
            assertThat(failure.context()).isEqualTo("sent");
            assertThat(failure.errno()).isEqualTo(its == 0 ? Errno.EOPNOTSUPP : Errno.EINVAL);
            assertThat(failure.reason())
                .contains("group 11 was named", peer.name().toString().replaceAll(".*//", ""));
            rig.endpoint()
                .injectTagged(
                    new TaggedSendRequest()
                        .memory(Rig.message("lost?"))
                        .destination(in(11, handle))
                        .tag(7));
            assertThat(failed(rig).errno()).isEqualTo(failure.errno());
          }
          peer.endpoint().receive(Rig.buffer(8), "received");
          rig.endpoint().send(Rig.message("plain"), handle, "sent");
          assertThat(received(peer).length()).isEqualTo(5);
          if (its > 0) {
            assertThat(rig.next().context()).isEqualTo("sent");
            peer.endpoint()
                .receive(
                    new ReceiveRequest()
                        .memory(Rig.buffer(8))
                        .source(any(its))
                        .context("received"));
            rig.endpoint().send(Rig.message("ten"), in(its, handle), "sent");
            assertThat(received(peer).length()).isEqualTo(3);
          }
        }
      }
    }
  }
}
