// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.Messenger;
import org.ofi4j.RequestReply;

class RequestReplyTest {
  private static final Consumer<RequestReply.Request> ECHO =
      request -> request.reply(request.bytes());

  private static Messenger open() {
    return Fabrics.tcp("127.0.0.1:0");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static long insert(RequestReply asker, RequestReply peer) {
    return asker.messenger().insert(peer.messenger().address());
  }

  private static CompletableFuture<Messenger.Message> ask(
      RequestReply asker, String text, long peer) throws InterruptedException {
    return asker.ask(bytes(text), peer, Rig.PATIENCE);
  }

  private static FabricException failure(CompletableFuture<Messenger.Message> future)
      throws InterruptedException {
    try {
      throw new AssertionError("it was answered: " + future.get());
    } catch (ExecutionException failed) {
      assertThat(failed).hasCauseInstanceOf(FabricException.class);
      return (FabricException) Objects.requireNonNull(failed.getCause());
    }
  }

  private static Errno errno(CompletableFuture<Messenger.Message> future)
      throws InterruptedException {
    return failure(future).errno();
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "tcp"})
  void requestsAreAnsweredInBothDirections(String protocol) throws Exception {
    Hints hints =
        (protocol.equals("udp") ? Hints.datagram() : Hints.reliable())
            .withProvider(protocol)
            .withSource("127.0.0.1:0")
            .withCapabilities(Capability.SOURCE_ERR);
    BlockingQueue<Long> askers = new LinkedBlockingQueue<>();
    try (RequestReply server =
            RequestReply.of(
                Fabrics.messenger(hints),
                request -> {
                  askers.add(request.source());
                  request.reply("hello, " + request.text());
                });
        RequestReply client = RequestReply.of(Fabrics.messenger(hints), ECHO)) {
      long peer = insert(client, server);
      Messenger.Message reply = ask(client, "client", peer).get();
      assertThat(reply.text()).isEqualTo("hello, client");
      assertThat(reply.source()).isEqualTo(peer);
      assertThat(ask(server, "back", askers.take()).get().text()).isEqualTo("back");
      assertThat(client.toString())
          .startsWith("RequestReply[Messenger[")
          .contains("127.0.0.1")
          .endsWith(", outstanding=0]");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, RequestReply.MAX_BYTES})
  void lengthsUpToTheLongestAreTaken(int length) throws Exception {
    byte[] request = new byte[length];
    Arrays.fill(request, (byte) 0x6F);
    try (RequestReply both = RequestReply.of(open(), ECHO)) {
      long self = insert(both, both);
      assertThat(both.ask(request, self, Rig.PATIENCE).get().bytes()).isEqualTo(request);
    }
  }

  @Test
  void longerOnesAreRefused() throws Exception {
    byte[] large = new byte[RequestReply.MAX_BYTES + 1];
    CompletableFuture<Throwable> refused = new CompletableFuture<>();
    try (RequestReply both =
        RequestReply.of(
            open(),
            request -> {
              try {
                request.reply(large);
              } catch (FabricException reason) {
                refused.complete(reason);
                request.reply("shorter");
              }
            })) {
      long self = insert(both, both);
      assertThatThrownBy(() -> both.ask(large, self)).hasMessageContaining("EMSGSIZE");
      assertThat(ask(both, "", self).get().text()).isEqualTo("shorter");
      assertThat(refused.get()).hasMessageContaining("EMSGSIZE");
    }
  }

  @Test
  void requestsMayBeAnsweredLaterInAnyOrder() throws Exception {
    BlockingQueue<RequestReply.Request> waiting = new LinkedBlockingQueue<>();
    try (RequestReply server = RequestReply.of(open(), waiting::add);
        RequestReply client = RequestReply.of(open())) {
      long peer = insert(client, server);
      List<CompletableFuture<Messenger.Message>> replies = new ArrayList<>();
      List<RequestReply.Request> requests = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        replies.add(ask(client, "request " + i, peer));
        requests.add(waiting.take());
      }
      requests.reversed().forEach(request -> request.reply("reply to " + request.text()));
      for (int i = 0; i < 100; i++) {
        assertThat(replies.get(i).get().text()).isEqualTo("reply to request " + i);
      }
    }
  }

  @Test
  void secondAnswerIsAnError() throws Exception {
    CompletableFuture<RequestReply.Request> asked = new CompletableFuture<>();
    try (RequestReply both =
        RequestReply.of(
            open(),
            request -> {
              request.reply("first");
              asked.complete(request);
            })) {
      assertThat(ask(both, "", insert(both, both)).get().text()).isEqualTo("first");
      RequestReply.Request request = asked.get();
      for (Runnable again : List.<Runnable>of(() -> request.reply(""), () -> request.fail(""))) {
        assertThatThrownBy(again::run)
            .isInstanceOfSatisfying(
                FabricException.class,
                refused -> assertThat(refused.errno()).isEqualTo(Errno.EALREADY))
            .hasMessageContaining("answered before");
      }
    }
  }

  @Test
  void failureOfTheHandlerIsTheAnswer() throws Exception {
    try (RequestReply both =
        RequestReply.of(
            open(),
            request -> {
              switch (request.text()) {
                case "throw" -> throw new IllegalStateException("a secret, in a test of failures");
                case "fail" -> request.fail("no such key");
                default -> request.reply("well");
              }
            })) {
      long self = insert(both, both);
      assertThat(failure(ask(both, "throw", self)))
          .hasMessageContaining("EREMOTEIO")
          .hasMessageContaining("IllegalStateException")
          .hasMessageNotContaining("secret");
      assertThat(failure(ask(both, "fail", self))).hasMessageContaining("no such key");
      assertThat(ask(both, "", self).get().text()).isEqualTo("well");
    }
  }

  @Test
  void objectWithoutHandlerAnswersWithAnError() throws Exception {
    try (RequestReply both = RequestReply.of(open())) {
      assertThat(errno(ask(both, "", insert(both, both)))).isEqualTo(Errno.EREMOTEIO);
    }
  }

  @Test
  void cancellingMakesPlaceAndDropsTheLateReply() throws Exception {
    BlockingQueue<RequestReply.Request> waiting = new LinkedBlockingQueue<>();
    try (RequestReply server = RequestReply.of(open(), waiting::add);
        RequestReply client = RequestReply.of(open(), ECHO, 1);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      long peer = insert(client, server);
      CompletableFuture<Messenger.Message> first = ask(client, "first", peer);
      assertThat(failure(client.ask(bytes("second"), peer, Duration.ofMillis(1))))
          .hasMessageContaining("ETIMEDOUT")
          .hasMessageContaining("1 requests are outstanding");
      Future<CompletableFuture<Messenger.Message>> third =
          threads.submit(() -> ask(client, "third", peer));
      first.cancel(false);
      waiting.take().reply("late");
      RequestReply.Request next = waiting.take();
      assertThat(next.text()).as("the second one was not sent").isEqualTo("third");
      next.reply("in time");
      assertThat(third.get().get().text()).isEqualTo("in time");
      assertThat(first).isCancelled();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "tcp"})
  void requestWithoutReplyEndsByItsTimeout(String protocol) throws Exception {
    Consumer<RequestReply.Request> forgetful =
        request -> {
          if (!request.text().equals("forget")) {
            request.reply("remembered");
          }
        };
    Messenger forgets =
        protocol.equals("udp") ? Fabrics.udp("127.0.0.1:0") : Fabrics.tcp("127.0.0.1:0");
    try (RequestReply both = RequestReply.of(forgets, forgetful, 1)) {
      long self = insert(both, both);
      assertThat(failure(both.ask(bytes("forget"), self, Duration.ofMillis(10))))
          .hasMessageContaining("ETIMEDOUT")
          .hasMessageContaining("has not answered within PT0.01S");
      assertThat(ask(both, "the place is free", self).get().text()).isEqualTo("remembered");
    }
  }

  @Test
  void lossOfThePeerFailsTheRequest() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    RequestReply server = RequestReply.of(open(), request -> arrived.countDown());
    try (RequestReply other = RequestReply.of(open(), ECHO);
        RequestReply client = RequestReply.of(open())) {
      CompletableFuture<Messenger.Message> lost = ask(client, "x", insert(client, server));
      arrived.await();
      server.close();
      assertThat(errno(lost)).isEqualTo(Errno.ECONNRESET);
      assertThat(ask(client, "y", insert(client, other)).get().text()).isEqualTo("y");
    }
  }

  @Test
  void handleWithoutEntryFailsTheRequest() throws Exception {
    try (RequestReply client = RequestReply.of(open(), ECHO, 1)) {
      assertThat(errno(ask(client, "x", 5))).isEqualTo(Errno.EINVAL);
      assertThat(errno(ask(client, "x", 5))).isEqualTo(Errno.EINVAL);
      assertThat(ask(client, "x", insert(client, client)).get().text()).isEqualTo("x");
    }
  }

  @Test
  void closeFailsAllOutstandingRequests() throws Exception {
    RequestReply both = RequestReply.of(open(), request -> {});
    long self = insert(both, both);
    List<CompletableFuture<Messenger.Message>> replies = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      replies.add(ask(both, "x", self));
    }
    both.close();
    for (CompletableFuture<Messenger.Message> reply : replies) {
      assertThat(errno(reply)).isEqualTo(Errno.ECANCELED);
    }
    assertThat(errno(ask(both, "x", self))).isEqualTo(Errno.ECANCELED);
    both.close();
  }

  @Test
  void closeEndsThreadsThatWaitForAPlace() throws Exception {
    RequestReply both = RequestReply.of(open(), request -> {}, 1);
    long self = insert(both, both);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Errno>> ends = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        ends.add(threads.submit(() -> errno(ask(both, "x", self))));
      }
      both.close();
      for (Future<Errno> end : ends) {
        assertThat(end.get()).isEqualTo(Errno.ECANCELED);
      }
    }
  }

  @Test
  void tenThousandVirtualThreadsAskAtOnce() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        RequestReply server =
            RequestReply.of(
                open(), request -> threads.execute(() -> request.reply(request.bytes())));
        RequestReply client = RequestReply.of(open())) {
      long peer = insert(client, server);
      List<Future<String>> replies = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        String text = "request " + i;
        replies.add(threads.submit(() -> ask(client, text, peer).get().text()));
      }
      for (int i = 0; i < 10_000; i++) {
        assertThat(replies.get(i).get()).isEqualTo("request " + i);
      }
    }
  }

  @Test
  void threadOfTheHandlerDoesNotWaitForAPlace() throws Exception {
    CompletableFuture<CompletableFuture<Messenger.Message>> nested = new CompletableFuture<>();
    CompletableFuture<RequestReply> self = new CompletableFuture<>();
    try (RequestReply both =
        RequestReply.of(
            open(),
            request -> {
              try {
                nested.complete(ask(self.get(), "nested", request.source()));
              } catch (InterruptedException | ExecutionException failed) {
                nested.completeExceptionally(failed);
              }
              request.reply("");
            },
            1)) {
      long peer = insert(both, both);
      CompletableFuture<Messenger.Message> outer = ask(both, "outer", peer);
      self.complete(both);
      assertThat(outer.get().text()).isEmpty();
      assertThat(errno(nested.get())).isEqualTo(Errno.EAGAIN);
    }
  }

  @Test
  void threadOfTheHandlerCannotWaitForAReply() throws Exception {
    CompletableFuture<RequestReply> self = new CompletableFuture<>();
    try (RequestReply both =
        RequestReply.of(
            open(),
            request -> {
              try {
                ask(self.get(), "nested", request.source()).join();
              } catch (InterruptedException | ExecutionException failed) {
                throw new AssertionError(failed);
              } catch (FabricException refused) {
                request.reply(String.valueOf(refused.getMessage()));
              }
            })) {
      long peer = insert(both, both);
      CompletableFuture<Messenger.Message> outer = ask(both, "outer", peer);
      self.complete(both);
      assertThat(outer.get().text()).contains("EAGAIN", "wait in another thread");
    }
  }

  @Test
  @Tag("long")
  void peerThatCannotBeReachedFailsTheRequest() throws Exception {
    try (RequestReply client = RequestReply.of(open())) {
      RequestReply gone = RequestReply.of(open());
      long peer = insert(client, gone);
      gone.close();
      assertThat(failure(ask(client, "x", peer))).hasMessageContaining("was not sent");
    }
  }

  @Test
  void eitherHandleOfAPeerGetsItsReplies() throws Exception {
    try (RequestReply server = RequestReply.of(open(), ECHO);
        RequestReply client = RequestReply.of(open())) {
      for (String request : List.of("first", "second")) {
        assertThat(ask(client, request, insert(client, server)).get().text()).isEqualTo(request);
      }
    }
  }

  @Test
  void tooManyUnansweredRequestsOfOnePeerGetErrors() throws Exception {
    BlockingQueue<RequestReply.Request> waiting = new LinkedBlockingQueue<>();
    try (RequestReply server = RequestReply.of(open(), waiting::add);
        RequestReply greedy = RequestReply.of(open(), ECHO, RequestReply.MAX_UNANSWERED + 1);
        RequestReply modest = RequestReply.of(open())) {
      long peer = insert(greedy, server);
      List<CompletableFuture<Messenger.Message>> replies = new ArrayList<>();
      for (int i = 0; i < RequestReply.MAX_UNANSWERED; i++) {
        replies.add(ask(greedy, "x", peer));
      }
      assertThat(failure(ask(greedy, "one more", peer)))
          .hasMessageContaining("EREMOTEIO")
          .hasMessageContaining("2000 requests");
      CompletableFuture<Messenger.Message> innocent = ask(modest, "y", insert(modest, server));
      for (int i = 0; i <= RequestReply.MAX_UNANSWERED; i++) {
        RequestReply.Request request = waiting.take();
        request.reply(request.bytes());
      }
      for (CompletableFuture<Messenger.Message> reply : replies) {
        assertThat(reply.get().text()).isEqualTo("x");
      }
      assertThat(innocent.get().text()).isEqualTo("y");
      CompletableFuture<Messenger.Message> after = ask(greedy, "after", peer);
      waiting.take().reply("taken");
      assertThat(after.get().text()).isEqualTo("taken");
    }
  }

  /** A message with a header of the protocol; the test knows it by heart. */
  private static byte[] message(int magic, int version, int kind, long id, String text) {
    ByteBuffer message = ByteBuffer.allocate(16 + bytes(text).length);
    message.putInt(magic).put((byte) version).put((byte) kind).putShort((short) 0).putLong(id);
    return message.put(bytes(text)).array();
  }

  private static byte[] reply(long id, String text) {
    return message(0x6F666951, 1, 2, id, text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "tcp"})
  void garbageIsDropped(String protocol) throws Exception {
    boolean udp = protocol.equals("udp");
    try (RequestReply server =
            RequestReply.of(udp ? Fabrics.udp("127.0.0.1:0") : Fabrics.tcp("127.0.0.1:0"), ECHO);
        Messenger stranger = udp ? Fabrics.udp("127.0.0.1:0") : Fabrics.tcp("127.0.0.1:0")) {
      long peer = stranger.insert(server.messenger().address());
      stranger.send("", peer);
      stranger.send("a plain message, without a header", peer);
      stranger.send(message(0x6F666951, 2, 1, 7, "a later version"), peer);
      stranger.send(message(0x6F666951, 1, 9, 7, "an unknown kind"), peer);
      stranger.send(reply(7, "nothing was asked"), peer);
      stranger.send(message(0x6F666951, 1, 3, 7, "nor failed"), peer);
      stranger.send(message(0x6F666951, 1, 1, 8, "a request"), peer);
      Messenger.Message first = Objects.requireNonNull(stranger.receive(Rig.PATIENCE));
      assertThat(first.bytes()).isEqualTo(reply(8, "a request"));
    }
  }

  @Test
  void replyCountsOnceAndOnlyFromThePeerThatWasAsked() throws Exception {
    try (Messenger server = open();
        Messenger intruder = open();
        RequestReply client = RequestReply.of(open())) {
      long peer = client.messenger().insert(server.address());
      CompletableFuture<Messenger.Message> first = ask(client, "first", peer);
      Messenger.Message request = Objects.requireNonNull(server.receive(Rig.PATIENCE));
      long id = ByteBuffer.wrap(request.bytes()).getLong(8);
      long toClient = intruder.insert(client.messenger().address());
      intruder.send(reply(id, "forged"), toClient);
      // The answer to this request proves that the message before it was read.
      intruder.send(message(0x6F666951, 1, 1, 1, ""), toClient);
      assertThat(intruder.receive(Rig.PATIENCE)).isNotNull();
      assertThat(first).isNotDone();
      server.send(reply(id, "right"), request.source());
      assertThat(first.get().text()).isEqualTo("right");

      CompletableFuture<Messenger.Message> second = ask(client, "second", peer);
      server.send(reply(id, "replayed"), request.source());
      request = Objects.requireNonNull(server.receive(Rig.PATIENCE));
      server.send(
          reply(ByteBuffer.wrap(request.bytes()).getLong(8), "right again"), request.source());
      assertThat(second.get().text()).isEqualTo("right again");
    }
  }

  @Test
  void messengerServesNothingElse() throws Exception {
    Messenger messenger = open();
    try (RequestReply both = RequestReply.of(messenger, ECHO)) {
      long self = insert(both, both);
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> messenger.send("x", self),
              () -> messenger.receive(Duration.ZERO),
              () -> RequestReply.of(messenger))) {
        assertThatThrownBy(call)
            .isInstanceOfSatisfying(
                FabricException.class,
                refused -> assertThat(refused.errno()).isEqualTo(Errno.EBUSY));
      }
      assertThat(ask(both, "x", self).get().text()).isEqualTo("x");
    }
  }
}
