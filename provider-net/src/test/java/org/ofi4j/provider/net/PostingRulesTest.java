// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.RemoteMemory;
import org.ofi4j.SendRequest;
import org.ofi4j.TaggedReceiver;
import org.ofi4j.TaggedSender;
import org.ofi4j.TryAgainException;

/** What may be posted, and in which words it is refused otherwise. */
class PostingRulesTest {
  private static void refused(Errno errno, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(errno))
        .hasMessageContainingAll(words);
  }

  @Test
  @Tag("AV-126")
  @Tag("AV-192")
  @DisplayName("A handle that names no entry is refused at once, in words")
  void badHandles() {
    try (Rig rig = new Rig(Rig.udp())) {
      DatagramEndpoint endpoint = rig.datagrams();
      long peer = rig.insert(endpoint);
      MemorySegment message = Rig.message("x");
      refused(Errno.EINVAL, () -> endpoint.send(message, peer + 1, null), "0x1", "no entry");
      refused(
          Errno.EINVAL, () -> endpoint.send(message, Handles.NOT_AVAILABLE, null), "NOT_AVAILABLE");
      refused(Errno.EINVAL, () -> endpoint.inject(message, 1L << 40), "above the index");
      refused(Errno.EINVAL, () -> endpoint.send(message, 1L << 63, null), "rx_ctx_bits");
      rig.vector.remove(peer);
      refused(Errno.EINVAL, () -> endpoint.send(message, peer, null), "removed");
    }
  }

  @Test
  @DisplayName("A peer of the other family is refused in words")
  void otherFamily() {
    Hints hints = Rig.udp().withAddressFormat(AddressFormat.SOCKADDR);
    try (Rig rig = new Rig(hints)) {
      DatagramEndpoint endpoint = rig.datagrams();
      long ipv6 = rig.vector.insert(FabricAddress.parse("fi_sockaddr_in6://[::1]:7471"));
      refused(Errno.EINVAL, () -> endpoint.send(Rig.message("x"), ipv6, null), "IPv6", "IPv4");
    }
  }

  @Test
  @DisplayName(
      "Too long, levels and modes of others, immediate data, unusable memory: each says so")
  void badPosts() {
    try (Rig rig = new Rig(Rig.udp())) {
      DatagramEndpoint endpoint = rig.datagrams();
      long self = rig.insert(endpoint);
      refused(
          Errno.EMSGSIZE, () -> endpoint.send(Rig.buffer(65_508), self, null), "65508", "65507");
      refused(Errno.EMSGSIZE, () -> endpoint.inject(Rig.buffer(1_473), self), "1473", "1472");
      refused(
          Errno.EMSGSIZE,
          () ->
              endpoint.send(
                  new SendRequest().memory(Rig.buffer(1_473)).destination(self).injected(true)),
          "1472");
      refused(
          Errno.ENOSYS,
          () -> endpoint.send(new SendRequest().memory(Rig.buffer(1)).destination(self).data(7)),
          "immediate data");
      refused(
          Errno.EBADFLAGS,
          () ->
              endpoint.send(
                  new SendRequest()
                      .memory(Rig.buffer(1))
                      .destination(self)
                      .completes(CompletionLevel.DELIVERED)),
          "0x10000000");
      refused(
          Errno.EBADFLAGS,
          () -> endpoint.receive(new ReceiveRequest().memory(Rig.buffer(1)).mode(ReceiveMode.PEEK)),
          "0x80000");
      refused(Errno.EINVAL, () -> endpoint.send(null, self, null), "message is null");
      refused(Errno.EINVAL, () -> endpoint.receive(null, null), "buffer is null");
      refused(Errno.EINVAL, () -> endpoint.receive(Rig.buffer(8).asReadOnly(), null), "read-only");
      MemorySegment freed;
      try (Arena arena = Arena.ofShared()) {
        freed = arena.allocate(8);
      }
      refused(Errno.EINVAL, () -> endpoint.send(freed, self, null), "freed");
      refused(Errno.EINVAL, () -> endpoint.receive(freed, null), "freed");
    }
  }

  @Test
  @DisplayName("Datagrams reach no memory of peers and carry no tags: there is no call for it")
  void noRemoteAccess() {
    try (Rig rig = new Rig(Rig.udp())) {
      MemorySegment memory = Rig.buffer(8);
      refused(Errno.ENOSYS, () -> rig.domain.register(memory), "no remote access", "provider tcp");
      assertThat(List.of(RemoteMemory.class, TaggedSender.class, TaggedReceiver.class))
          .noneMatch(each -> each.isAssignableFrom(DatagramEndpoint.class));
    }
  }

  @Test
  @DisplayName("Memory confined to a thread cannot be posted to a domain with a thread of its own")
  void confinedMemory() {
    try (Rig rig = new Rig(Rig.udp().withProgress(Progress.AUTO));
        Arena arena = Arena.ofConfined()) {
      DatagramEndpoint endpoint = rig.datagrams();
      long self = rig.insert(endpoint);
      MemorySegment confined = arena.allocate(8);
      refused(Errno.EINVAL, () -> endpoint.receive(confined, null), "confined");
      refused(Errno.EINVAL, () -> endpoint.send(confined, self, null), "confined");
    }
  }

  @Test
  @DisplayName(
      "A full receive queue says how large it is, without a stack trace, and empties again")
  void receiveQueueFull() throws Exception {
    Hints hints = Rig.udp();
    try (Rig rig = new Rig(hints)) {
      DatagramEndpoint endpoint = rig.datagrams();
      int size = rig.domain.info().receive().size();
      MemorySegment buffer = Rig.buffer(8);
      for (int i = 0; i < size; i++) {
        endpoint.receive(buffer, i);
      }
      assertThatThrownBy(() -> endpoint.receive(buffer, "one more"))
          .isInstanceOf(TryAgainException.class)
          .hasMessageContaining("receive queue is full")
          .satisfies(failed -> assertThat(failed.getStackTrace()).isEmpty());
      endpoint.inject(Rig.message("x"), rig.insert(endpoint));
      assertThat(Rig.success(rig.next()).length()).isEqualTo(1);
      endpoint.receive(buffer, "one more");
    }
  }

  @Test
  @DisplayName("Null and nonsense are refused by the queue")
  void queueArguments() {
    try (Rig rig = new Rig(Rig.udp())) {
      refused(Errno.EINVAL, () -> rig.queue.poll(null, 1), "handler is null");
      refused(Errno.EINVAL, () -> rig.queue.poll(Rig.collector(null), -1), "limit -1");
      refused(Errno.EINVAL, () -> rig.queue.read(null), "timeout is null");
      refused(
          Errno.EINVAL,
          () ->
              rig.domain.openCompletionQueue(
                  CompletionQueueOptions.of(CompletionFormat.MSG).withSize(Integer.MAX_VALUE)),
          "2147483647");
    }
  }
}
