// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.CompletionFlag;
import org.ofi4j.Errno;
import org.ofi4j.Flag;
import org.ofi4j.Handles;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.FreePort;

/**
 * What libfabric's own functional and multi-node tests do, between JVMs over TCP. Addresses and
 * barriers go beside the fabric, through the test.
 */
class UpstreamTest {
  private static final long MESSAGE = Flag.maskOf(CompletionFlag.MSG, CompletionFlag.RECEIVE);
  private static final long TAGGED = Flag.maskOf(CompletionFlag.TAGGED, CompletionFlag.RECEIVE);
  private static final long DATA = CompletionFlag.REMOTE_CQ_DATA.mask();

  private long number;

  /** One message; the receiver compares every byte. */
  private void exchange(JvmPeer from, int at, long handle, JvmPeer to, int there, long source) {
    long sent = ++number;
    to.ask("receive " + there + " " + sent + " 300", "posted");
    from.ask("send " + at + " " + sent + " " + handle + " 200", "posted");
    assertThat(to.ask("await " + sent))
        .isEqualTo("received 200 %x 0 0 %d".formatted(MESSAGE, source));
    from.ask("await " + sent, "sent");
  }

  private static void release(JvmPeer... peers) {
    for (JvmPeer peer : peers) {
      peer.release();
    }
  }

  @ParameterizedTest
  @CsvSource({"MANUAL, true", "MANUAL, false", "AUTO, true", "AUTO, false"})
  @Tag("AV-126")
  @Tag("AV-180")
  @DisplayName("av_xfer: both remove each other, insert each other again, and messages arrive")
  void avXfer(Progress progress, boolean reversed) throws Exception {
    try (JvmPeer server = JvmPeer.start(progress);
        JvmPeer client = JvmPeer.start(progress)) {
      long toServer = client.insert(0, server.name());
      long toClient = server.insert(0, client.name());
      exchange(client, 0, toServer, server, 0, toClient);
      client.ask("remove 0 " + toServer, "removed");
      server.ask("remove 0 " + toClient, "removed");
      toServer = client.insert(0, server.name());
      toClient = server.insert(0, client.name());
      if (reversed) {
        exchange(server, 0, toClient, client, 0, toServer);
      } else {
        exchange(client, 0, toServer, server, 0, toClient);
      }
      release(client, server);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("AV-185")
  @DisplayName("multi_ep: messages and remote writes from each of several endpoints to its partner")
  void multiEp(boolean shared) throws Exception {
    int count = 4;
    try (JvmPeer server = JvmPeer.start(Progress.AUTO, 0, count, shared);
        JvmPeer client = JvmPeer.start(Progress.MANUAL, 0, count, shared)) {
      long[] toServer = new long[count];
      long[] toClient = new long[count];
      for (int i = 0; i < count; i++) { // while the endpoints before are in use
        toServer[i] = client.insert(i, server.name(i));
        toClient[i] = server.insert(i, client.name(i));
        assertThat(toServer[i]).isEqualTo(shared ? i : 0);
        for (int k = 0; k <= i; k++) {
          exchange(client, k, toServer[k], server, k, toClient[k]);
          exchange(server, k, toClient[k], client, k, toServer[k]);
        }
      }
      for (int round = 0; round < 2; round++) { // the second with memory registered anew
        long base = 1_000L * (round + 1);
        for (int i = 0; i < count; i++) {
          String key = server.ask("region " + (base + i) + " 256", "region ");
          client.ask(
              "write %d %d %d 256 key=%s".formatted(i, base + i, toServer[i], key), "posted");
        }
        for (int i = 0; i < count; i++) {
          client.ask("await " + (base + i), "sent");
          server.ask("check %d 256 content=%d".formatted(base + i, base + i), "right");
          server.ask("close-region " + (base + i), "closed");
        }
      }
      release(client, server);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @Tag("AV-217")
  @Tag("AV-218")
  @DisplayName(
      "unexpected_msg: early messages go to a sender inserted since, and to tags in reverse")
  void unexpectedMessages(Progress progress) throws Exception {
    try (JvmPeer server = JvmPeer.start(progress);
        JvmPeer client = JvmPeer.start(progress)) {
      long toServer = client.insert(0, server.name());
      for (int message : new int[] {1, 2}) {
        client.ask("send 0 " + message + " " + toServer + " 64 tag=7", "posted");
        client.ask("await " + message, "sent");
      }
      server.ask("receive 0 1 64 tag=7", "posted");
      assertThat(server.ask("await 1"))
          .isEqualTo("received 64 %x 0 7 %d".formatted(TAGGED, Handles.NOT_AVAILABLE));
      long toClient = server.insert(0, client.name());
      server.ask("receive 0 2 64 tag=7 from=" + toClient, "posted");
      assertThat(server.ask("await 2"))
          .isEqualTo("received 64 %x 0 7 %d".formatted(TAGGED, toClient));
      for (int round = 1; round <= 3; round++) {
        int first = 10 * round;
        for (int i = 0; i < 4; i++) {
          String rest = " 64 tag=%d data=64".formatted(100 + i);
          client.ask("send 0 " + (first + i) + " " + toServer + rest, "posted");
          server.ask("send 0 " + (first + i) + " " + toClient + rest, "posted");
        }
        for (int i = 3; i >= 0; i--) {
          inReverse(server, first + i, 100 + i, toClient);
          inReverse(client, first + i, 100 + i, toServer);
        }
        for (int i = 0; i < 4; i++) {
          client.ask("await " + (first + i), "sent");
          server.ask("await " + (first + i), "sent");
        }
      }
      release(client, server);
    }
  }

  private static void inReverse(JvmPeer at, int message, int tag, long source) {
    int receive = 1_000 + message;
    at.ask("receive 0 %d 64 tag=%d from=%d".formatted(receive, tag, source), "posted");
    assertThat(at.ask("await %d content=%d".formatted(receive, message)))
        .isEqualTo("received 64 %x 40 %x %d".formatted(TAGGED | DATA, tag, source));
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName(
      "inject: what is overwritten at once arrives as it was, and completes with its context")
  void inject(Progress progress) throws Exception {
    try (JvmPeer server = JvmPeer.start(progress);
        JvmPeer client = JvmPeer.start(progress)) {
      long toServer = client.insert(0, server.name());
      long toClient = server.insert(0, client.name());
      for (String how : new String[] {"inject=1", "inject-complete=1"}) {
        for (int size : new int[] {0, 1, 64, 1_024}) {
          long sent = ++number;
          client.ask("send 0 %d %d %d tag=5 %s".formatted(sent, toServer, size, how), "posted");
          client.ask("await " + sent, "sent");
          server.ask("receive 0 " + sent + " 1024 tag=5", "posted");
          assertThat(server.ask("await " + sent))
              .isEqualTo("received %d %x 0 5 %d".formatted(size, TAGGED, toClient));
        }
      }
      release(client, server);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("cq_data: 64 bits of data with a message of 1,000 bytes, and exactly these flags")
  void immediateData(Progress progress) throws Exception {
    try (JvmPeer server = JvmPeer.start(progress);
        JvmPeer client = JvmPeer.start(progress)) {
      long toServer = client.insert(0, server.name());
      long toClient = server.insert(0, client.name());
      server.ask("receive 0 1 1000", "posted");
      client.ask("send 0 1 " + toServer + " 1000 data=0x7123456789abcdef", "posted");
      assertThat(server.ask("await 1"))
          .isEqualTo("received 1000 %x 7123456789abcdef 0 %d".formatted(MESSAGE | DATA, toClient));
      client.ask("await 1", "sent");
      release(client, server);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @Tag("AV-185")
  @DisplayName("loopback: a process inserts its own address and greets itself")
  void loopback(Progress progress) throws Exception {
    try (JvmPeer only = JvmPeer.start(progress)) {
      long self = only.insert(0, only.name());
      only.ask("receive 0 1 300", "posted");
      only.ask("send 0 2 " + self + " 300", "posted");
      assertThat(only.ask("await 1 content=2"))
          .isEqualTo("received 300 %x 0 0 %d".formatted(MESSAGE, self));
      only.ask("await 2", "sent");
      release(only);
    }
  }

  @ParameterizedTest
  @CsvSource({"MANUAL, true", "AUTO, false"})
  @Tag("AV-180")
  @DisplayName(
      "rdm_multi_client: one client after the other, at new addresses or at that of the first")
  void multiClient(Progress progress, boolean restarted) throws Exception {
    try (JvmPeer server = JvmPeer.start(progress)) {
      int port = restarted ? FreePort.find() : 0;
      for (int i = 0; i < 3; i++) {
        try (JvmPeer client = JvmPeer.startAnew(progress, port)) {
          long toServer = client.insert(0, server.name());
          long toClient = server.insert(0, client.name());
          assertThat(toClient).isEqualTo(restarted ? 0 : i);
          for (int round = 0; round < 5; round++) {
            exchange(client, 0, toServer, server, 0, toClient);
            exchange(server, 0, toClient, client, 0, toServer);
          }
          if (i % 2 == 0) {
            client.finish(); // and the others are killed
          }
        }
      }
      release(server);
    }
  }

  private static final int RANKS = 4;

  @Test
  @Tag("AV-185")
  @Tag("AV-217")
  @DisplayName("multinode: full mesh, ring, gather and broadcast among ranks, itself included")
  void multinode() throws Exception {
    List<JvmPeer> ranks = new ArrayList<>();
    try {
      for (int i = 0; i < RANKS; i++) {
        ranks.add(JvmPeer.start(i % 2 == 0 ? Progress.MANUAL : Progress.AUTO));
      }
      for (JvmPeer rank : ranks) {
        for (int i = 0; i < RANKS; i++) {
          assertThat(rank.insert(0, ranks.get(i).name())).isEqualTo(i);
        }
      }
      for (int iteration = 0; iteration < 3; iteration++) {
        pattern(ranks, (from, to) -> true);
        pattern(ranks, (from, to) -> to == (from + 1) % RANKS);
        pattern(ranks, (from, to) -> from != 0 && to == 0);
        pattern(ranks, (from, to) -> from == 0 && to != 0);
      }
      release(ranks.toArray(JvmPeer[]::new));
    } finally {
      ranks.forEach(JvmPeer::close);
    }
  }

  /** Receives name their source; afterwards all meet at rank 0. */
  private void pattern(List<JvmPeer> ranks, BiPredicate<Integer, Integer> sends) {
    long base = number;
    number += 1_000;
    for (int from = 0; from < RANKS; from++) {
      for (int to = 0; to < RANKS; to++) {
        if (sends.test(from, to)) {
          long message = base + 10L * from + to;
          ranks.get(to).ask("receive 0 " + (message + 500) + " 400 from=" + from, "posted");
          ranks.get(from).ask("send 0 " + message + " " + to + " 400", "posted");
        }
      }
    }
    for (int from = 0; from < RANKS; from++) {
      for (int to = 0; to < RANKS; to++) {
        if (sends.test(from, to)) {
          long message = base + 10L * from + to;
          assertThat(ranks.get(to).ask("await " + (message + 500) + " content=" + message))
              .isEqualTo("received 400 %x 0 0 %d".formatted(MESSAGE, from));
          ranks.get(from).ask("await " + message, "sent");
        }
      }
    }
    for (int rank = 1; rank < RANKS; rank++) {
      barrier(ranks.get(rank), rank, ranks.get(0), 0);
    }
    for (int rank = 1; rank < RANKS; rank++) {
      barrier(ranks.get(0), 0, ranks.get(rank), rank);
    }
  }

  private void barrier(JvmPeer from, int fromRank, JvmPeer to, int toRank) {
    long message = ++number;
    to.ask("receive 0 " + message + " 0 from=" + fromRank, "posted");
    from.ask("send 0 " + message + " " + toRank + " 0 delivered=1", "posted");
    from.ask("await " + message, "sent");
    assertThat(to.ask("await " + message)).startsWith("received 0 ");
  }

  private static long at(long handle, int context) {
    return Handles.atReceiveContext(handle, context, JvmPeer.RECEIVE_CONTEXT_BITS);
  }

  @ParameterizedTest
  @CsvSource({"MANUAL, MANUAL", "AUTO, MANUAL", "MANUAL, AUTO"})
  @Tag("AV-034")
  @Tag("AV-141")
  @Tag("AV-212")
  @DisplayName("scalable_ep: a greeting each way, then a message from each context to each")
  void scalableEp(Progress ofServer, Progress ofClient) throws Exception {
    int count = 2;
    try (JvmPeer server = JvmPeer.startScalable(ofServer, count);
        JvmPeer client = JvmPeer.startScalable(ofClient, count)) {
      for (int i = 0; i < count; i++) {
        server.ask("receive %d %d 256".formatted(i, 10 + i), "posted");
        client.ask("receive %d %d 256".formatted(i, 10 + i), "posted");
      }
      long toServer = client.insert(0, server.name());
      client.ask("send 0 1 " + toServer + " 16", "posted");
      assertThat(server.ask("await 10 content=1"))
          .isEqualTo("received 16 %x 0 0 %d".formatted(MESSAGE, Handles.NOT_AVAILABLE));
      long toClient = server.insert(0, client.name());
      server.ask("send 0 1 " + toClient + " 1", "posted");
      assertThat(client.ask("await 10 content=1"))
          .isEqualTo("received 1 %x 0 0 %d".formatted(MESSAGE, toServer));
      client.ask("await 1", "sent");
      server.ask("await 1", "sent");
      server.ask("receive 0 20 256", "posted");
      client.ask("receive 0 20 256", "posted");
      for (int i = 0; i < count; i++) {
        client.ask("send %d %d %d 200".formatted(i, 30 + i, at(toServer, i)), "posted");
        client.ask("await " + (30 + i), "sent");
      }
      assertThat(server.ask("await 20 content=30"))
          .isEqualTo("received 200 %x 0 0 %d".formatted(MESSAGE, toClient));
      assertThat(server.ask("await 11 content=31"))
          .isEqualTo("received 200 %x 0 0 %d".formatted(MESSAGE, toClient));
      // Beyond what upstream does: an index that the server does not have, and tags.
      client.ask("send 1 40 " + at(toServer, count) + " 8", "posted");
      client.ask("await 40", "failed " + Errno.EINVAL.number());
      server.ask("receive 1 50 64 tag=7 from=" + toClient, "posted");
      client.ask("send 0 50 %d 64 tag=7 data=5".formatted(at(toServer, 1)), "posted");
      assertThat(server.ask("await 50"))
          .isEqualTo("received 64 %x 5 7 %d".formatted(TAGGED | DATA, toClient));
      client.ask("await 50", "sent");
      release(client, server);
    }
  }
}
