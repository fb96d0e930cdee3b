// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.SendRequest;
import org.ofi4j.TryAgainException;
import org.ofi4j.VectorOptions;

/** What the completion queue says, in which order, and what happens while it is full. */
class CompletionsTest {
  private static final long SENT = Flag.maskOf(CompletionFlag.MSG, CompletionFlag.SEND);

  private static final long RECEIVED = Flag.maskOf(CompletionFlag.MSG, CompletionFlag.RECEIVE);

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("A withdrawn receive completes as such, and the next one takes the message")
  void cancel(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      DatagramEndpoint one = rig.datagrams();
      Object first = new Object();
      Object second = new Object();
      Object third = new Object();
      one.receive(Rig.buffer(8), first);
      one.receive(Rig.buffer(8), second);
      one.receive(Rig.buffer(8), third);
      assertThat(one.cancel("unknown")).isFalse();
      assertThat(one.cancel(second)).isTrue();
      assertThat(one.cancel(second)).isFalse();
      assertThat(rig.next())
          .isInstanceOfSatisfying(
              Completion.Failure.class,
              failure -> {
                assertThat(failure.errno()).isEqualTo(Errno.ECANCELED);
                assertThat(failure.context()).isSameAs(second);
                assertThat(failure.source()).isEqualTo(Handles.NOT_AVAILABLE);
              });
      long self = rig.insert(one);
      one.inject(Rig.message("x"), self);
      assertThat(rig.next().context()).isSameAs(first);
      one.inject(Rig.message("x"), self);
      assertThat(rig.next().context()).isSameAs(third);
    }
  }

  @Test
  @DisplayName("Receives withdrawn while the completion queue is full are reported later")
  void cancelWhileFull() throws Exception {
    CompletionQueueOptions small = CompletionQueueOptions.defaults().withSize(2);
    try (Rig rig = new Rig(Rig.udp(), VectorOptions.table(), small)) {
      DatagramEndpoint one = rig.datagrams();
      List<Object> contexts = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        Object context = "receive " + i;
        contexts.add(context);
        one.receive(Rig.buffer(8), context);
      }
      contexts.forEach(context -> assertThat(one.cancel(context)).isTrue());
      for (Object context : contexts) {
        assertThat(rig.next().context()).isSameAs(context);
      }
      assertThat(rig.next(Duration.ofMillis(20))).isNull();
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("A full completion queue holds traffic back and loses nothing")
  void completionQueueFull(Hints kind) throws Exception {
    CompletionQueueOptions small = CompletionQueueOptions.defaults().withSize(4);
    try (Rig rig = new Rig(kind, VectorOptions.table(), small)) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      for (int i = 0; i < 50; i++) {
        one.receive(Rig.buffer(8), "receive " + i);
      }
      for (int i = 0; i < 50; i++) {
        one.send(Rig.buffer(i % 8), self, "send " + i);
      }
      List<Object> sends = new ArrayList<>();
      List<Object> receives = new ArrayList<>();
      while (sends.size() + receives.size() < 100) {
        Object context = rig.next().context();
        (String.valueOf(context).startsWith("send") ? sends : receives).add(context);
      }
      for (int i = 0; i < 50; i++) {
        assertThat(sends.get(i)).isEqualTo("send " + i);
        assertThat(receives.get(i)).isEqualTo("receive " + i);
      }
      assertThat(rig.next(Duration.ofMillis(20))).isNull();
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("A full transmit queue asks to try again; what waits is sent once there is room")
  void transmitQueueFull(Hints kind) throws Exception {
    CompletionQueueOptions small = CompletionQueueOptions.defaults().withSize(1);
    try (Rig rig = new Rig(kind, VectorOptions.table(), small)) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      int accepted = 0;
      // What is injected waits beside the others, so that the memory may be overwritten.
      while (one.tryInject(Rig.message("x"), self)
          && one.trySend(Rig.message("x"), self, accepted)) {
        accepted++;
      }
      assertThatThrownBy(() -> one.send(Rig.message("x"), self, "too many"))
          .isInstanceOfSatisfying(
              TryAgainException.class, again -> assertThat(again.errno()).isEqualTo(Errno.EAGAIN));
      assertThat(accepted).isBetween(512, 514);
      for (int i = 0; i < accepted; i++) {
        Completion next = rig.next();
        assertThat(next.context()).isEqualTo(i);
        assertThat(next).isInstanceOf(Completion.Success.class);
      }
      one.send(Rig.message("x"), self, "more");
      assertThat(rig.next().context()).isEqualTo("more");
    }
  }

  @Test
  @DisplayName("An injected message that has to wait is the one that was given")
  void injectedCopy() throws Exception {
    CompletionQueueOptions small = CompletionQueueOptions.defaults().withSize(1);
    try (Rig rig = new Rig(Rig.udp(), VectorOptions.table(), small)) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      one.send(Rig.message("fills the completion queue"), self, "send");
      MemorySegment message = Rig.message("first word");
      one.inject(message, self);
      message.copyFrom(Rig.message("other word"));
      one.send(
          new SendRequest().memory(message).destination(self).context("second").injected(true));
      message.fill((byte) 0);
      MemorySegment[] buffers = {Rig.buffer(64), Rig.buffer(64), Rig.buffer(64)};
      for (MemorySegment buffer : buffers) {
        one.receive(buffer, buffer);
      }
      rig.nextOf(buffers[2]);
      assertThat(Rig.text(buffers[1], 10)).isEqualTo("first word");
      assertThat(Rig.text(buffers[2], 10)).isEqualTo("other word");
    }
  }

  @Test
  @DisplayName("With selective completion only what asks for it is reported, and every failure")
  void selective() throws Exception {
    try (Rig rig = new Rig(Rig.udp());
        DatagramEndpoint one =
            rig.domain.openDatagramEndpoint(
                EndpointOptions.none()
                    .withVector(rig.vector)
                    .withSelectiveTransmitQueue(rig.queue)
                    .withSelectiveReceiveQueue(rig.queue))) {
      long self = rig.insert(one);
      MemorySegment silent = Rig.buffer(8);
      one.receive(silent, "silent");
      one.receive(new ReceiveRequest().memory(Rig.buffer(8)).context("asked").reported(true));
      one.receive(Rig.buffer(1), "too short");
      one.send(Rig.message("one"), self, "silent");
      one.send(
          new SendRequest()
              .memory(Rig.message("two"))
              .destination(self)
              .context("asked send")
              .reported(true));
      one.send(Rig.message("three"), self, "silent");
      List<Object> contexts = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        contexts.add(rig.next().context());
      }
      assertThat(contexts).containsExactlyInAnyOrder("asked send", "asked", "too short");
      assertThat(rig.next(Duration.ofMillis(20))).isNull();
      assertThat(Rig.text(silent, 3)).isEqualTo("one");
    }
  }

  @Test
  @DisplayName("The C calls keep failures apart and in their place")
  void readAndReadError() throws Exception {
    try (Rig rig = new Rig(Rig.udp())) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      assertThat(rig.queue.read()).isNull();
      assertThat(rig.queue.readError()).isNull();
      one.receive(Rig.buffer(1), "too short");
      one.receive(Rig.buffer(8), "fits");
      one.inject(Rig.message("long"), self);
      one.inject(Rig.message("long"), self);
      rig.queue.poll(Rig.collector(new ArrayList<>()), 0, Rig.PATIENCE);
      assertThatThrownBy(rig.queue::read)
          .isInstanceOfSatisfying(
              FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(Errno.EAVAIL));
      assertThat(rig.queue.readError())
          .satisfies(f -> assertThat(f.context()).isEqualTo("too short"));
      assertThat(rig.queue.readError()).isNull();
      assertThat(rig.queue.read(Rig.PATIENCE).context()).isEqualTo("fits");
    }
  }

  @ParameterizedTest
  @MethodSource("formats")
  @DisplayName("Fields beyond the format are 0")
  void formats(CompletionFormat format, long flags, long length) throws Exception {
    CompletionQueueOptions options = CompletionQueueOptions.of(format);
    try (Rig rig = new Rig(Rig.udp(), VectorOptions.table(), options)) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      one.receive(Rig.buffer(8), "receive");
      one.inject(Rig.message("four"), self);
      assertThat(rig.next())
          .isEqualTo(Completion.Success.of("receive", flags).length(length).source(self).build());
    }
  }

  static List<Object[]> formats() {
    return List.of(
        new Object[] {CompletionFormat.UNSPECIFIED, RECEIVED, 4L},
        new Object[] {CompletionFormat.CONTEXT, 0L, 0L},
        new Object[] {CompletionFormat.MSG, RECEIVED, 4L},
        new Object[] {CompletionFormat.DATA, RECEIVED, 4L},
        new Object[] {CompletionFormat.TAGGED, RECEIVED, 4L});
  }
}
