// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
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
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.RemotePlace;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Rig;

/** Two endpoints that applications connect: how it goes well. */
class MsgConnectTest {
  static List<Hints> kinds() {
    return MsgSide.kinds();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Data goes with the request and with its acceptance, and both sides are told")
  void connectsWithData(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      PassiveEndpoint passive = server.listen();
      ConnectedEndpoint caller = client.endpoint();
      caller.connect(passive.address(), "who are you".getBytes(UTF_8));
      Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class, client);
      assertThat(request.source()).isSameAs(passive);
      assertThat(request.connectionData()).asString(UTF_8).isEqualTo("who are you");
      assertThat(request.info().destination()).isEqualTo(caller.address());
      ConnectedEndpoint accepted = server.endpoint(request.info());
      accepted.accept("I am I".getBytes(UTF_8));
      Event.Connected there = server.event(Event.Connected.class, client);
      assertThat(there.source()).isSameAs(accepted);
      assertThat(there.connectionData()).isEmpty();
      Event.Connected here = client.event(Event.Connected.class, server);
      assertThat(here.source()).isSameAs(caller);
      assertThat(here.connectionData()).asString(UTF_8).isEqualTo("I am I");
      assertThat(caller.peer()).isEqualTo(passive.address());
      assertThat(accepted.peer()).isEqualTo(caller.address());
      assertThat(accepted.address()).isEqualTo(passive.address());
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-214")
  @DisplayName("Messages go both ways, and no handle means anything")
  void handlesMeanNothing(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      MsgSide.Pair pair = client.connect(server, server.listen());
      for (long handle : new long[] {Handles.NOT_AVAILABLE, Handles.UNSPECIFIED, 0, 4711}) {
        MemorySegment buffer = Rig.buffer(64);
        pair.server().receive(new ReceiveRequest().memory(buffer).source(handle).context("in"));
        pair.client().send(MsgSide.message("to " + handle), handle, "out");
        assertThat(client.success(server).context()).isEqualTo("out");
        Completion.Success in = server.success(client);
        assertThat(in.context()).isEqualTo("in");
        assertThat(Rig.text(buffer, in.length())).isEqualTo("to " + handle);
        assertThat(in.source()).isEqualTo(Handles.NOT_AVAILABLE);
        pair.client()
            .receiveTagged(
                new TaggedReceiveRequest()
                    .memory(buffer)
                    .source(handle)
                    .pattern(TagPattern.exactly(7))
                    .context("tagged in"));
        pair.server()
            .sendTagged(
                new TaggedSendRequest()
                    .memory(MsgSide.message("back"))
                    .destination(handle)
                    .tag(7)
                    .data(99)
                    .context("tagged out")
                    .completes(CompletionLevel.DELIVERED));
        Completion.Success tagged = client.success(server);
        assertThat(tagged.context()).isEqualTo("tagged in");
        assertThat(tagged.data()).isEqualTo(99);
        assertThat(tagged.flags() & CompletionFlag.TAGGED.mask()).isNotZero();
        assertThat(server.success(client).context()).isEqualTo("tagged out");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-214")
  @DisplayName("Memory of the peer is read and written, with no handle that means anything")
  void remoteMemory(Hints hints) throws Exception {
    Hints remote = hints.withMoreCapabilities(Capability.MSG, Capability.RMA);
    try (MsgSide server = new MsgSide(remote);
        MsgSide client = new MsgSide(remote)) {
      MsgSide.Pair pair = client.connect(server, server.listen());
      MemorySegment there = Rig.buffer(100_000);
      Content.fill(there, 1);
      try (MemoryRegion region =
          server.domain.register(there, Access.REMOTE_READ, Access.REMOTE_WRITE)) {
        MemorySegment here = Rig.buffer(100_000);
        pair.client().read(here, Handles.NOT_AVAILABLE, region.place(), "read");
        assertThat(client.success(server).context()).isEqualTo("read");
        Content.verify(here, 1);
        Content.fill(here, 2);
        pair.client()
            .write(
                new WriteRequest()
                    .memory(here)
                    .destination(4711)
                    .place(region.place())
                    .data(7)
                    .context("written")
                    .completes(CompletionLevel.DELIVERED));
        assertThat(client.success(server).context()).isEqualTo("written");
        assertThat(server.success(client).data()).isEqualTo(7);
        Content.verify(there, 2);
        pair.client()
            .read(here, 0, new RemotePlace(0, here.byteSize(), region.key() + 1), "not allowed");
        assertThat(client.failure(server).context()).isEqualTo("not allowed");
        client.event(Event.Shutdown.class, server);
        server.event(Event.Shutdown.class, client);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Receives may be posted before the endpoint is connected")
  void receivesMayBePostedBeforeItIsConnected(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      PassiveEndpoint passive = server.listen();
      ConnectedEndpoint caller = client.endpoint();
      MemorySegment buffer = Rig.buffer(1 << 20);
      caller.receive(buffer, "posted early");
      caller.connect(passive.address());
      ConnectedEndpoint accepted = server.accept(client);
      byte[] large = new byte[1 << 20];
      for (int i = 0; i < large.length; i++) {
        large[i] = (byte) (i * 31);
      }
      accepted.send(MemorySegment.ofArray(large), 0, "large");
      client.event(Event.Connected.class, server);
      Completion.Success came = client.success(server);
      assertThat(came.context()).isEqualTo("posted early");
      assertThat(came.length()).isEqualTo(large.length);
      assertThat(buffer.mismatch(MemorySegment.ofArray(large))).isEqualTo(-1);
      assertThat(server.success(client).context()).isEqualTo("large");
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Who waits for events sleeps, and is woken by what comes over the network")
  void waitsAsleep(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      PassiveEndpoint passive = server.listen();
      FabricAddress name = passive.address();
      Thread other =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  ConnectedEndpoint accepted = server.accept();
                  accepted.send(MsgSide.message("awake"), 0, "out");
                  server.success();
                  server.event(Event.Shutdown.class);
                } catch (InterruptedException stopped) {
                  Thread.currentThread().interrupt();
                }
              });
      ConnectedEndpoint caller = client.endpoint();
      caller.connect(name);
      client.event(Event.Connected.class);
      MemorySegment buffer = Rig.buffer(16);
      caller.receive(buffer, "in");
      assertThat(client.success().length()).isEqualTo(5);
      caller.shutdown();
      client.event(Event.Shutdown.class);
      other.join();
    }
  }

  @Test
  @DisplayName("As much data as the option says goes along; one byte more is refused in the call")
  void dataHasALimit() throws Exception {
    try (MsgSide server = new MsgSide(Progress.MANUAL);
        MsgSide client = new MsgSide(Progress.MANUAL)) {
      PassiveEndpoint passive = server.listen();
      ConnectedEndpoint caller = client.endpoint();
      assertThat(passive.connectionDataSize()).isEqualTo(256);
      assertThat(caller.connectionDataSize()).isEqualTo(256);
      byte[] most = new byte[256];
      Arrays.fill(most, (byte) 0xA5);
      assertThatExceptionOfType(FabricException.class)
          .isThrownBy(() -> caller.connect(passive.address(), new byte[257]))
          .satisfies(refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL));
      caller.connect(passive.address(), most);
      Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class, client);
      assertThat(request.connectionData()).isEqualTo(most);
      ConnectedEndpoint accepted = server.endpoint(request.info());
      assertThatExceptionOfType(FabricException.class)
          .isThrownBy(() -> accepted.accept(new byte[257]))
          .satisfies(refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL));
      accepted.accept(most);
      server.event(Event.Connected.class, client);
      assertThat(client.event(Event.Connected.class, server).connectionData()).isEqualTo(most);
    }
  }

  @Test
  @DisplayName("A hundred connections to one passive endpoint carry each their own messages")
  void manyConnections() throws Exception {
    try (MsgSide server = new MsgSide(Progress.MANUAL);
        MsgSide client = new MsgSide(Progress.AUTO)) {
      PassiveEndpoint passive = server.listen();
      ConnectedEndpoint[] callers = new ConnectedEndpoint[100];
      for (int i = 0; i < callers.length; i++) {
        callers[i] = client.endpoint();
        callers[i].connect(passive.address(), new byte[] {(byte) i});
      }
      ConnectedEndpoint[] accepted = new ConnectedEndpoint[callers.length];
      for (int connected = 0; connected < callers.length; ) {
        Event event = server.event(client);
        if (event instanceof Event.ConnectionRequest request) {
          ConnectedEndpoint endpoint = server.endpoint(request.info());
          endpoint.accept();
          accepted[request.connectionData()[0]] = endpoint;
        } else {
          assertThat(event).isInstanceOf(Event.Connected.class);
          connected++;
        }
      }
      for (int i = 0; i < callers.length; i++) {
        client.event(Event.Connected.class, server);
      }
      MemorySegment[] buffers = new MemorySegment[callers.length];
      for (int i = 0; i < callers.length; i++) {
        buffers[i] = Rig.buffer(16);
        accepted[i].receive(buffers[i], i);
        callers[i].inject(MsgSide.message("number " + i), Handles.NOT_AVAILABLE);
      }
      for (int i = 0; i < callers.length; i++) {
        Completion.Success came = server.success(client);
        int which = (Integer) came.context();
        assertThat(Rig.text(buffers[which], came.length())).isEqualTo("number " + which);
      }
      assertThat(client.isQuiet(Duration.ofMillis(20))).isTrue();
    }
  }
}
