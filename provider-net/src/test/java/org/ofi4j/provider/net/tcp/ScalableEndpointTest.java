// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ContextOptions;
import org.ofi4j.Counter;
import org.ofi4j.CounterFlag;
import org.ofi4j.Endpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveContext;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransmitContext;
import org.ofi4j.VectorOptions;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Endpoints with several transmit and receive contexts. */
class ScalableEndpointTest {
  private static final int CONTEXTS = 3;

  static List<Hints> kinds() {
    return Rig.tcpKinds();
  }

  private static Hints hints() {
    return Rig.tcp("127.0.0.1", Progress.MANUAL);
  }

  private static Hints hints(Progress progress) {
    return Rig.tcp("127.0.0.1", progress);
  }

  private static void assertRefused(Errno errno, String reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(errno))
        .hasMessageContaining(reason);
  }

  private static String text(Completion completion, MemorySegment buffer) {
    assertThat(completion).isInstanceOf(Completion.Success.class);
    return Rig.text(buffer, ((Completion.Success) completion).length());
  }

  private static long data(Completion completion) {
    return ((Completion.Success) completion).data();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-034")
  @Tag("AV-141")
  @Tag("AV-212")
  @DisplayName("Each transmit context reaches each receive context, by way of one address")
  void everyPair(Hints hints) throws Exception {
    try (ScalableSide here = ScalableSide.open(hints, CONTEXTS, CONTEXTS);
        ScalableSide there = ScalableSide.open(hints, CONTEXTS, CONTEXTS)) {
      here.vector.insert(there.name()); // so that the other side's handle is another one
      long there0 = here.vector.insert(here.name()) - 1;
      long here0 = there.vector.insert(here.name());
      for (int from = 0; from < CONTEXTS; from++) {
        for (int to = CONTEXTS - 1; to >= 0; to--) {
          MemorySegment buffer = there.post(to, "received");
          String words = from + " to " + to;
          TransmitContext sender = here.transmits.get(from).endpoint;
          if (to == 0) {
            sender.send(Rig.message(words), there0, words);
          } else {
            sender.send(Rig.message(words), ScalableSide.at(there0, to), words);
          }
          Completion.Success received = Rig.success(there.receives.get(to).next(here));
          assertThat(text(received, buffer)).isEqualTo(words);
          assertThat(received.source()).isEqualTo(here0);
          assertThat(here.transmits.get(from).next(there).context()).isEqualTo(words);
        }
      }
      for (int i = 0; i < CONTEXTS; i++) {
        assertThat(here.transmits.get(i).poll()).isNull();
        assertThat(there.receives.get(i).poll()).isNull();
        assertThat(here.transmits.get(i).endpoint.address()).isEqualTo(here.name());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-157")
  @Tag("AV-158")
  @Tag("AV-212")
  @DisplayName("All contexts hold the authorization keys of their scalable endpoint")
  void authorizationKeys(Hints kind) throws Exception {
    Hints hints = kind.withMoreCapabilities(Capability.DIRECTED_RECEIVE);
    byte[] red = Rig.key(1);
    byte[] blue = Rig.key(2);
    try (ScalableSide here = ScalableSide.holding(hints, 2, 2, blue);
        ScalableSide there = ScalableSide.holding(hints, 2, 2, red, blue)) {
      long toThere = here.insertUnder(here.authKeys[0], there.name());
      long fromHere = there.insertUnder(there.authKeys[1], here.name());
      for (int to = 0; to < 2; to++) {
        ReceiveContext receiver = there.receives.get(to).endpoint;
        receiver.receive(
            new ReceiveRequest()
                .memory(Rig.buffer(64))
                .sourceUnderKey(there.authKeys[0])
                .context("under red"));
        MemorySegment buffer = Rig.buffer(64);
        receiver.receive(
            new ReceiveRequest()
                .memory(buffer)
                .sourceUnderKey(there.authKeys[1])
                .context("under blue"));
        here.transmits
            .get(1 - to)
            .endpoint
            .inject(Rig.message("x" + to), ScalableSide.at(toThere, to));
        Completion.Success received = Rig.success(there.receives.get(to).next(here));
        assertThat(received.context()).isEqualTo("under blue");
        assertThat(received.source()).isEqualTo(fromHere);
        assertThat(text(received, buffer)).isEqualTo("x" + to);
        MemorySegment back = here.post(to, "back");
        there.transmits.get(to).endpoint.inject(Rig.message("y"), ScalableSide.at(fromHere, to));
        assertThat(text(here.receives.get(to).next(there), back)).isEqualTo("y");
        // Early: matched by key when it is asked for.
        here.transmits.get(to).endpoint.inject(Rig.message("early"), ScalableSide.at(toThere, to));
        here.transmits
            .get(to)
            .endpoint
            .injectTagged(
                new TaggedSendRequest()
                    .memory(Rig.message("later"))
                    .destination(ScalableSide.at(toThere, to))
                    .tag(7));
        MemorySegment tagged = Rig.buffer(64);
        receiver.receiveTagged(tagged, TagPattern.exactly(7), "later");
        assertThat(text(there.receives.get(to).next(here), tagged)).isEqualTo("later");
        receiver.receive(
            new ReceiveRequest().memory(buffer).sourceUnderKey(there.authKeys[1]).context("early"));
        assertThat(text(there.receives.get(to).next(here), buffer)).isEqualTo("early");
        assertThat(there.receives.get(to).poll()).isNull();
      }

      // Those that it was opened with, and no others, as long as it is open.
      long green = here.vector.insertAuthKey(Rig.key(3));
      long underGreen = here.insertUnder(green, there.name());
      assertRefused(
          Errno.ENOKEY,
          "after the endpoint was opened",
          () -> here.transmits.get(0).endpoint.inject(Rig.message("z"), underGreen));
      here.vector.remove(toThere);
      assertRefused(Errno.EBUSY, "scalable", () -> here.vector.removeAuthKey(here.authKeys[0]));
      here.closeContexts();
      here.endpoint.close();
      here.vector.removeAuthKey(here.authKeys[0]);
    }
  }

  @Test
  @Tag("AV-157")
  @DisplayName("A scalable endpoint refuses who does not hold its key, or holds none")
  void wrongKey() throws Exception {
    Duration impatient = Duration.ofMillis(700);
    try (ScalableSide there = ScalableSide.holding(hints(), 1, 2, Rig.key(1));
        Rig other =
            Rig.holding(hints(Progress.AUTO), VectorOptions.table(), impatient, Rig.key(2));
        Rig none = Rig.reliable(hints(Progress.AUTO), impatient)) {
      there.post(0, "nothing");
      other
          .endpoint()
          .send(Rig.message("x"), other.insertUnder(other.authKeys[0], there.name()), "other");
      none.endpoint().send(Rig.message("x"), none.vector.insert(there.name()), "none");
      for (Rig each : new Rig[] {other, none}) {
        Completion ended = null;
        for (int i = 0; ended == null && i < 20_000; i++) {
          there.move();
          ended = each.next(Duration.ofMillis(1));
        }
        assertThat(ended).isInstanceOf(Completion.Failure.class);
      }
      assertThat(there.receives.get(0).poll()).isNull();
    }
  }

  @Test
  @Tag("AV-158")
  @DisplayName("A scalable endpoint is not opened on a vector without a key, and holds none then")
  void noKeyYet() throws Exception {
    Hints hints = hints().withAuthKeys(AuthKeyHints.inVector());
    try (ScalableSide rig = new ScalableSide(hints, 1, 1, Rig.key(1));
        AddressVector empty = rig.domain.openAddressVector(VectorOptions.table())) {
      assertRefused(Errno.EINVAL, "key", () -> rig.domain.openScalableEndpoint(empty));
      long key = empty.insertAuthKey(Rig.key(1));
      empty.removeAuthKey(key);
      empty.insertAuthKey(Rig.key(1));
      try (ScalableEndpoint opened = rig.domain.openScalableEndpoint(empty)) {
        assertThat(opened.address()).isNotNull();
      }
    }
  }

  @Test
  @DisplayName("An endpoint sends to its own receive contexts")
  void toItself() throws Exception {
    try (ScalableSide only = ScalableSide.open(hints(), 2, 2)) {
      long self = only.vector.insert(only.name());
      for (int to = 0; to < 2; to++) {
        MemorySegment buffer = only.post(to, "received");
        only.transmits
            .get(1 - to)
            .endpoint
            .inject(Rig.message("x" + to), ScalableSide.at(self, to));
        assertThat(text(only.receives.get(to).next(only), buffer)).isEqualTo("x" + to);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("Tagged, directed, peeked, claimed, several into one buffer, withdrawn, with data")
  void everyKindOfReceive(Progress progress) throws Exception {
    Hints hints =
        hints(progress).withMoreCapabilities(Capability.DIRECTED_RECEIVE, Capability.MULTI_RECEIVE);
    try (ScalableSide here = ScalableSide.open(hints, 1, 1);
        ScalableSide other = ScalableSide.open(hints, 1, 1);
        ScalableSide there = new ScalableSide(hints, 1, 2)) {
      ScalableSide.Receive first = there.openReceive(0);
      ScalableSide.Receive second = there.openReceive(1, options -> options.withMinMultiReceive(4));
      long to1 = ScalableSide.at(here.vector.insert(there.name()), 1);
      other.vector.insert(there.name());
      long ofHere = there.vector.insert(here.name());
      final long ofOther = there.vector.insert(other.name());
      TransmitContext sender = here.transmits.getFirst().endpoint;
      final TransmitContext late = other.transmits.getFirst().endpoint;

      MemorySegment buffer = Rig.buffer(16);
      second.endpoint.receiveTagged(
          new TaggedReceiveRequest()
              .memory(buffer)
              .source(ofOther)
              .pattern(TagPattern.exactly(7))
              .context("of other"));
      second.endpoint.receiveTagged(buffer, TagPattern.exactly(7), "of any");
      first.endpoint.receiveTagged(buffer, TagPattern.exactly(7), "not here");
      sender.sendTagged(
          new TaggedSendRequest().memory(Rig.message("a")).destination(to1).tag(7).data(42));
      Completion tagged = second.next(here);
      assertThat(tagged.context()).isEqualTo("of any");
      assertThat(data(tagged)).isEqualTo(42);
      late.injectTagged(new TaggedSendRequest().memory(Rig.message("b")).destination(to1).tag(7));
      assertThat(second.next(other).context()).isEqualTo("of other");
      assertThat(first.endpoint.cancel("not here")).isTrue();
      assertThat(((Completion.Failure) first.next()).errno()).isEqualTo(Errno.ECANCELED);
      assertThat(second.endpoint.cancel("not here")).isFalse();

      sender.sendTagged(
          new TaggedSendRequest().memory(Rig.message("early")).destination(to1).tag(9));
      here.transmits.getFirst().next(there);
      here.transmits.getFirst().next(there);
      Object claim = "claim";
      assertThat(found(first, claim)).isFalse();
      while (!found(second, claim)) {
        here.move();
      }
      second.endpoint.receiveTagged(
          new TaggedReceiveRequest()
              .memory(buffer)
              .pattern(TagPattern.exactly(0))
              .mode(ReceiveMode.CLAIM)
              .context(claim));
      assertThat(text(second.next(here), buffer)).isEqualTo("early");

      second.endpoint.receive(
          new ReceiveRequest()
              .memory(buffer)
              .source(ofHere)
              .mode(ReceiveMode.SEVERAL_MESSAGES)
              .context("several"));
      sender.inject(Rig.message("12345678"), to1);
      sender.inject(Rig.message("abcdef"), to1);
      assertThat(second.next(here).flags() & CompletionFlag.MULTI_RECEIVE.mask()).isZero();
      assertThat(second.next(here).flags() & CompletionFlag.MULTI_RECEIVE.mask()).isNotZero();
      assertThat(Rig.text(buffer, 14)).isEqualTo("12345678abcdef");
    }
  }

  private static boolean found(ScalableSide.Receive at, Object context)
      throws InterruptedException {
    at.endpoint.receiveTagged(
        new TaggedReceiveRequest()
            .pattern(TagPattern.exactly(9))
            .mode(ReceiveMode.PEEK_AND_CLAIM)
            .context(context));
    return at.next() instanceof Completion.Success;
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("A write with data is reported and counted by the context that its handle names")
  void remoteWrites(Progress progress) throws Exception {
    Hints hints = hints(progress).withMoreCapabilities(Capability.RMA);
    try (ScalableSide here = ScalableSide.open(hints, 2, 2);
        ScalableSide there = new ScalableSide(hints, 1, 3)) {
      Counter[] counters = new Counter[3];
      for (int i = 0; i < 3; i++) {
        Counter counter = there.domain.openCounter();
        counters[i] = counter;
        there.openReceive(
            i,
            options ->
                options.withMoreCounters(
                    counter, CounterFlag.REMOTE_WRITE, CounterFlag.REMOTE_READ));
      }
      long handle = here.vector.insert(there.name());
      MemorySegment target = Rig.buffer(16);
      MemoryRegion region = there.domain.register(target, Access.REMOTE_WRITE, Access.REMOTE_READ);
      TransmitContext sender = here.transmits.get(1).endpoint;
      sender.write(
          new WriteRequest()
              .memory(Rig.message("data"))
              .destination(ScalableSide.at(handle, 2))
              .place(region.place())
              .data(99)
              .context("written")
              .completes(CompletionLevel.DELIVERED));
      Completion told = there.receives.get(2).next(here);
      assertThat(data(told)).isEqualTo(99);
      assertThat(told.flags() & CompletionFlag.REMOTE_WRITE.mask()).isNotZero();
      assertThat(here.transmits.get(1).next(there).context()).isEqualTo("written");
      assertThat(Rig.text(target, 4)).isEqualTo("data");
      sender.write(
          new WriteRequest()
              .memory(Rig.message("silent"))
              .destination(ScalableSide.at(handle, 1))
              .place(region.place().from(8))
              .context("silent")
              .completes(CompletionLevel.DELIVERED));
      assertThat(here.transmits.get(1).next(there).context()).isEqualTo("silent");
      sender.read(Rig.buffer(4), ScalableSide.at(handle, 1), region.place(), "read");
      assertThat(here.transmits.get(1).next(there).context()).isEqualTo("read");
      // Those without data are told to nobody, and counted by the first context.
      assertThat(counters[0].await(2, Rig.PATIENCE)).isTrue();
      assertThat(counters[0].read()).isEqualTo(2);
      assertThat(counters[1].read()).isZero();
      assertThat(counters[2].read()).isEqualTo(1);
      sender.write(Rig.message("x"), ScalableSide.at(handle, 3), region.place(), "beyond");
      assertRefusal(here.transmits.get(1).next(there), Errno.EINVAL, "receive contexts 0 to 2");
      sender.read(Rig.buffer(4), ScalableSide.at(handle, 3), region.place(), "beyond");
      assertRefusal(here.transmits.get(1).next(there), Errno.EINVAL, "receive contexts 0 to 2");
      there.closeContexts();
      for (Counter counter : counters) {
        counter.close();
      }
      region.close();
    }
  }

  private static void assertRefusal(Completion completion, Errno errno, String reason) {
    assertThat(completion)
        .isInstanceOfSatisfying(
            Completion.Failure.class,
            failure -> {
              assertThat(failure.errno()).isEqualTo(errno);
              assertThat(failure.reason()).contains(reason);
            });
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-034")
  @DisplayName("An index beyond the peer's contexts is an error, before and after it connects")
  void indexBeyond(Hints hints) throws Exception {
    try (ScalableSide here = ScalableSide.open(hints, 2, 1);
        ScalableSide there = ScalableSide.open(hints, 1, 2)) {
      long handle = here.vector.insert(there.name());
      for (int round = 0; round < 2; round++) {
        MemorySegment buffer = there.post(1, "received");
        TransmitContext sender = here.transmits.get(round).endpoint;
        sender.send(Rig.message("lost?"), ScalableSide.at(handle, 2), "beyond");
        sender.send(Rig.message("fine"), ScalableSide.at(handle, 1), "there");
        assertRefusal(
            here.transmits.get(round).next(there), Errno.EINVAL, "receive contexts 0 to 1, and 2");
        assertThat(here.transmits.get(round).next(there).context()).isEqualTo("there");
        assertThat(text(there.receives.get(1).next(here), buffer)).isEqualTo("fine");
      }
      assertRefused(
          Errno.EINVAL,
          "rx_ctx_bits",
          () ->
              here.transmits
                  .getFirst()
                  .endpoint
                  .send(Rig.message("x"), Handles.atReceiveContext(handle, 1, 8), "other bits"));
    }
  }

  @Test
  @Tag("AV-034")
  @DisplayName("A plain endpoint has context 0 alone, and one that does not name contexts none")
  void plainPeers() throws Exception {
    try (ScalableSide here = ScalableSide.open(hints(), 1, 2);
        Rig naming =
            Rig.reliable(
                hints().withMoreCapabilities(Capability.NAMED_RECEIVE_CONTEXT),
                VectorOptions.table().withReceiveContextBits(ScalableSide.BITS),
                CompletionQueueOptions.defaults());
        Rig plain =
            Rig.reliable(
                hints(),
                VectorOptions.table().withReceiveContextBits(ScalableSide.BITS),
                CompletionQueueOptions.defaults())) {
      TransmitContext sender = here.transmits.getFirst().endpoint;
      for (Rig peer : List.of(naming, plain)) {
        long handle = here.vector.insert(peer.name());
        sender.send(Rig.message("x"), ScalableSide.at(handle, 1), "refused");
        assertRefusal(next(here, peer), Errno.EINVAL, "receive contexts 0 to 0, and 1");
        peer.endpoint().receive(Rig.buffer(8), "received");
        sender.send(Rig.message("x"), ScalableSide.at(handle, 0), "sent");
        assertThat(next(here, peer).context()).isEqualTo("sent");
        assertThat(peer.next(Rig.PATIENCE).context()).isEqualTo("received");
      }
      // The other way round: the capability decides who may name a context.
      naming.vector.insert(here.name());
      plain.vector.insert(here.name());
      MemorySegment buffer = here.post(1, "received");
      naming.endpoint().inject(Rig.message("named"), ScalableSide.at(0, 1));
      while (here.receives.get(1).poll() == null) {
        naming.move(Duration.ofMillis(1));
      }
      assertThat(Rig.text(buffer, 5)).isEqualTo("named");
      assertRefused(
          Errno.EINVAL,
          "cannot be named here",
          () -> plain.endpoint().inject(Rig.message("x"), ScalableSide.at(0, 1)));
    }
  }

  private static Completion next(ScalableSide here, Rig peer) throws InterruptedException {
    ScalableSide.Context sends = here.transmits.getFirst();
    Completion found = sends.poll();
    for (int i = 0; found == null && i < 10_000; i++) {
      peer.move(Duration.ofMillis(1));
      found = sends.poll();
    }
    return found;
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("Messages wait for a context that is not open yet, and for one that is opened again")
  void notOpenYet(Progress progress) throws Exception {
    try (ScalableSide here = ScalableSide.open(hints(progress), 1, 1);
        ScalableSide there = new ScalableSide(hints(progress), 1, 2)) {
      there.openReceive(0);
      long handle = here.vector.insert(there.name());
      TransmitContext sender = here.transmits.getFirst().endpoint;
      sender.send(Rig.message("early"), ScalableSide.at(handle, 1), "sent");
      here.transmits.getFirst().next(there);
      sender.inject(Rig.message("now"), handle);
      MemorySegment first = there.post(0, "now");
      assertThat(text(there.receives.get(0).next(here), first)).isEqualTo("now");

      ScalableSide.Receive late = there.openReceive(1);
      MemorySegment buffer = Rig.buffer(64);
      late.endpoint.receive(buffer, "early");
      assertThat(text(late.next(here), buffer)).isEqualTo("early");
      late.endpoint.receive(buffer, "dropped with the context");
      late.close();
      there.receives.remove(late);
      sender.inject(Rig.message("while closed"), ScalableSide.at(handle, 1));
      ScalableSide.Receive again = there.openReceive(1);
      again.endpoint.receive(buffer, "again");
      Completion received = again.next(here);
      assertThat(received.context()).isEqualTo("again");
      assertThat(text(received, buffer)).isEqualTo("while closed");
      assertRefused(
          Errno.EINVAL, "closed", () -> late.endpoint.receive(buffer, "into a closed context"));
    }
  }

  @Test
  @Tag("AV-212")
  @DisplayName("The vector is one for all; contexts keep the endpoint open, and what they use")
  void lifetimes() {
    try (ScalableSide rig = new ScalableSide(hints(), 2, 2)) {
      ScalableEndpoint endpoint = rig.endpoint;
      assertThatThrownBy(rig.vector::close).isInstanceOf(FabricBusyException.class);
      ContextOptions none = ContextOptions.none();
      assertRefused(Errno.ENOCQ, "completion queue", () -> endpoint.openTransmitContext(1, none));
      assertRefused(Errno.ENOCQ, "completion queue", () -> endpoint.openReceiveContext(0, none));
      ContextOptions options = ContextOptions.of(rig.queue);
      TransmitContext sends = endpoint.openTransmitContext(1, options);
      ReceiveContext receives = endpoint.openReceiveContext(0, options);
      for (Endpoint context : List.of(sends, receives)) {
        assertThat(context.info().domain()).isEqualTo(rig.domain.info().domain());
      }
      assertRefused(Errno.EBUSY, "is open", () -> endpoint.openTransmitContext(1, options));
      assertRefused(Errno.EBUSY, "is open", () -> endpoint.openReceiveContext(0, options));
      assertRefused(Errno.EINVAL, "0 to 1", () -> endpoint.openTransmitContext(2, options));
      assertRefused(Errno.EINVAL, "0 to 1", () -> endpoint.openReceiveContext(-1, options));
      assertThat(sends.address()).isEqualTo(receives.address()).isEqualTo(endpoint.address());
      assertThat(sends).hasToString("transmit context 1 of " + endpoint);
      assertThatThrownBy(endpoint::close)
          .isInstanceOfSatisfying(
              FabricBusyException.class,
              busy -> assertThat(busy.holders()).containsExactlyInAnyOrder(sends, receives));
      assertThat(endpoint.isOpen()).isTrue();
      assertThatThrownBy(rig.queue::close).isInstanceOf(FabricBusyException.class);
      sends.close();
      receives.close();
      TransmitContext anew = endpoint.openTransmitContext(1, options);
      anew.close();
      endpoint.close();
      assertRefused(Errno.EINVAL, "closed", () -> endpoint.openTransmitContext(0, options));
    }
  }

  @Test
  @Tag("AV-212")
  @DisplayName("Without a vector of the domain none is opened; one that only sends has that half")
  void opening() {
    Hints sendOnly =
        hints()
            .withMoreCapabilities(Capability.SEND)
            .withTransmitContexts(2)
            .withReceiveContexts(2);
    try (Rig rig = Rig.reliable(sendOnly);
        Rig other = Rig.reliable(hints());
        ScalableEndpoint endpoint = rig.domain.openScalableEndpoint(rig.vector)) {
      assertRefused(
          Errno.ENOAV,
          "no address vector",
          () -> rig.domain.openScalableEndpoint(ScalableOptions.none()));
      assertRefused(Errno.EINVAL, ", but ", () -> rig.domain.openScalableEndpoint(other.vector));
      ContextOptions options = ContextOptions.of(rig.queue);
      assertRefused(Errno.EOPNOTSUPP, "only sends", () -> endpoint.openReceiveContext(0, options));
      endpoint.openTransmitContext(0, options).close();
    }
  }

  @Test
  @DisplayName("A context that is refused leaves alone those that share its queue")
  void refusedContext() throws Exception {
    try (ScalableSide here = ScalableSide.open(hints(), 2, 1);
        ScalableSide there = ScalableSide.open(hints(), 1, 1)) {
      ScalableSide.Transmit sender = here.transmits.getFirst();
      ContextOptions options = ContextOptions.of(sender.queue);
      here.transmits.get(1).endpoint.close();
      assertRefused(
          Errno.EINVAL,
          "receive contexts",
          () -> here.endpoint.openTransmitContext(1, options.withMinMultiReceive(100)));
      here.endpoint.openTransmitContext(1, options).close();
      long handle = here.vector.insert(there.name());
      there.post(0, "received");
      sender.endpoint.send(Rig.message("x"), handle, "sent");
      assertThat(there.receives.getFirst().next(here).context()).isEqualTo("received");
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName(
      "A receive context that is closed in the middle of a message costs that message only")
  void closedWhileReceiving(Progress progress) throws Exception {
    int large = 64 << 20;
    try (ScalableSide here = ScalableSide.open(hints(progress), 2, 1);
        ScalableSide there = ScalableSide.open(hints(progress), 1, 2)) {
      long handle = here.vector.insert(there.name());
      ScalableSide.Receive closing = there.receives.get(1);
      MemorySegment memory = Rig.buffer(large);
      closing.endpoint.receive(memory, "never");
      MemorySegment message = Rig.buffer(large);
      message.fill((byte) 1);
      here.transmits.get(0).endpoint.send(message, ScalableSide.at(handle, 1), "cut");
      while (memory.get(ValueLayout.JAVA_BYTE, 0) == 0) {
        here.move();
        there.move();
      }
      closing.close();
      there.receives.remove(closing);
      memory.fill((byte) 2);
      MemorySegment buffer = there.post(0, "after");
      here.transmits.get(1).endpoint.send(Rig.message("after"), handle, "after");
      assertThat(text(there.receives.get(0).next(here), buffer)).isEqualTo("after");
      assertThat(here.transmits.get(0).next(there).context()).isEqualTo("cut");
      assertThat(here.transmits.get(1).next(there).context()).isEqualTo("after");
      assertThat(memory.mismatch(filled(large, (byte) 2))).isEqualTo(-1);
    }
  }

  private static MemorySegment filled(long size, byte with) {
    return Rig.buffer(size).fill(with);
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("A transmit context that is closed takes its sends along, and no others")
  void closedWhileSending(Progress progress) throws Exception {
    int large = 64 << 20;
    try (ScalableSide here = ScalableSide.open(hints(progress), 2, 1);
        ScalableSide there = ScalableSide.open(hints(progress), 1, 1)) {
      long handle = here.vector.insert(there.name());
      ScalableSide.Transmit closing = here.transmits.get(0);
      // Nothing is read there, so the first message gets stuck and the others stand behind it.
      MemorySegment message = Rig.buffer(large);
      closing.endpoint.send(message, handle, "stuck");
      for (int i = 0; i < 10; i++) {
        closing.endpoint.send(Rig.message("withdrawn"), handle, "withdrawn");
      }
      here.transmits.get(1).endpoint.send(Rig.message("stays"), handle, "stays");
      for (int i = 0; i < 10; i++) {
        here.move();
      }
      closing.close();
      here.transmits.remove(closing);
      message.fill((byte) 3);
      List<Object> came = new ArrayList<>();
      MemorySegment buffer = there.post(0, "received");
      came.add(text(there.receives.get(0).next(here), buffer));
      assertThat(came).containsExactly("stays");
      assertThat(here.transmits.getFirst().next(there).context()).isEqualTo("stays");
      ScalableSide.Transmit again = here.openTransmit(0);
      MemorySegment last = there.post(0, "received");
      again.endpoint.send(Rig.message("again"), handle, "again");
      assertThat(text(there.receives.get(0).next(here), last)).isEqualTo("again");
      assertThat(again.next(there).context()).isEqualTo("again");
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("Threads use contexts of their own at once, and wait in queues of their own")
  void threads(Progress progress) throws Exception {
    int threads = 6;
    int messages = 300;
    try (ScalableSide here = ScalableSide.open(hints(progress), threads, threads);
        ScalableSide there = ScalableSide.open(hints(progress), threads, threads);
        ExecutorService pool = Executors.newCachedThreadPool()) {
      long toThere = here.vector.insert(there.name());
      long toHere = there.vector.insert(here.name());
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int own = i;
        all.add(pool.submit(() -> pingpong(here, own, toThere, messages, true)));
        all.add(pool.submit(() -> pingpong(there, own, toHere, messages, false)));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
  }

  private static Void pingpong(ScalableSide rig, int own, long peer, int messages, boolean first)
      throws Exception {
    ScalableSide.Transmit sends = rig.transmits.get(own);
    ScalableSide.Context receives = rig.receives.get(own);
    long to = ScalableSide.at(peer, own);
    for (int i = 0; i < messages; i++) {
      MemorySegment buffer = rig.post(own, i);
      if (first) {
        sends.endpoint.send(Rig.message(own + "/" + i), to, i);
      }
      Completion received = await(receives.queue);
      assertThat(text(received, buffer)).isEqualTo(own + "/" + i);
      if (!first) {
        sends.endpoint.send(Rig.message(own + "/" + i), to, i);
      }
      assertThat(await(sends.queue).context()).isEqualTo(i);
    }
    return null;
  }

  private static Completion await(CompletionQueue queue) throws InterruptedException {
    Completion found = queue.read(Rig.PATIENCE);
    assertThat(found).isNotNull();
    return found;
  }

  @Test
  @DisplayName("More queues than a word has bits: a reader of any of them moves all data")
  void manyQueues() throws Exception {
    int contexts = 90;
    try (ScalableSide here = ScalableSide.open(hints(), contexts, 1);
        Rig there = Rig.reliable(hints(Progress.AUTO))) {
      long handle = here.vector.insert(there.name());
      for (int i = 0; i < contexts; i++) {
        // Sleeps in a selector of its own, so that each of them knows the connection.
        assertThat(here.transmits.get(i).queue.read(Duration.ofMillis(1))).isNull();
        there.endpoint().receive(Rig.buffer(64), i);
        here.transmits.get(i).endpoint.send(Rig.message("x"), handle, i);
        assertThat(await(here.transmits.get(i).queue).context()).isEqualTo(i);
      }
      for (int i = 0; i < contexts; i++) {
        assertThat(there.next(Rig.PATIENCE).context()).isEqualTo(i);
      }
    }
  }

  @Test
  @DisplayName("A queue that outlives its context is not woken by the endpoint any more")
  void queueOutlivesContext() throws Exception {
    try (ScalableSide here = ScalableSide.open(hints(), 1, 1);
        ScalableSide there = ScalableSide.open(hints(), 1, 2)) {
      ScalableSide.Receive closing = there.receives.get(1);
      assertThat(closing.queue.read(Duration.ofMillis(1))).isNull();
      closing.endpoint.close();
      long handle = here.vector.insert(there.name());
      here.transmits.getFirst().endpoint.inject(Rig.message("x"), handle);
      MemorySegment buffer = there.post(0, "received");
      assertThat(closing.queue.read(Duration.ofMillis(50))).isNull();
      assertThat(text(there.receives.get(0).next(here), buffer)).isEqualTo("x");
    }
  }

  @Test
  @Tag("AV-033")
  @DisplayName(
      "How many contexts there are is agreed on with the hints, and said by the information")
  void negotiation() {
    var info = Fabrics.info(hints().withTransmitContexts(5).withReceiveContexts(7)).best();
    assertThat(info.endpoint().transmitContexts()).isEqualTo(5);
    assertThat(info.endpoint().receiveContexts()).isEqualTo(7);
    assertThat(info.domain().maxEndpointTransmitContexts()).isEqualTo(TcpLimits.CONTEXTS);
    assertThat(info.domain().maxEndpointReceiveContexts()).isEqualTo(TcpLimits.CONTEXTS);
    assertThat(info.has(Capability.NAMED_RECEIVE_CONTEXT)).isFalse();
    assertThat(Fabrics.info(hints()).best().endpoint().receiveContexts()).isEqualTo(1);
    for (Hints beyond :
        List.of(
            hints().withTransmitContexts(TcpLimits.CONTEXTS + 1),
            hints().withReceiveContexts(TcpLimits.CONTEXTS + 1),
            hints().withTransmitContexts(-1),
            hints().withReceiveContexts(-2))) {
      var answer = Fabrics.info(beyond);
      assertThat(answer.offers()).isEmpty();
      assertThat(answer.refusals().getFirst().reason()).contains("x_ctx_cnt");
    }
  }
}
