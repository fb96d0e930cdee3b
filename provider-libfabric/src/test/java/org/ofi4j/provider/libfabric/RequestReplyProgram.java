// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.ofi4j.Fabrics;
import org.ofi4j.Messenger;
import org.ofi4j.RequestReply;

/** Requests and replies over the providers of the arguments. */
final class RequestReplyProgram {
  private static final int REQUESTS = 10_000;

  private RequestReplyProgram() {}

  public static void main(String[] arguments) {
    Scenarios scenarios = new Scenarios();
    for (String provider : arguments) {
      scenarios
          .add(provider + ": virtual threads ask", () -> virtualThreads(provider))
          .add(provider + ": failures and close", () -> failures(provider));
    }
    scenarios.runAndExit();
  }

  private static Messenger open(String provider) {
    return Fabrics.messenger(Rig.hints(provider));
  }

  private static void introduce(RequestReply server, RequestReply client) {
    server.messenger().insert(client.messenger().address());
  }

  private static void virtualThreads(String provider) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        RequestReply server =
            RequestReply.of(
                open(provider), request -> threads.execute(() -> request.reply(request.bytes())));
        RequestReply client = RequestReply.of(open(provider))) {
      introduce(server, client);
      long peer = client.messenger().insert(server.messenger().address());
      List<Future<String>> replies = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        byte[] request = ("request " + i).getBytes(UTF_8);
        replies.add(threads.submit(() -> client.ask(request, peer, Rig.PATIENCE).get().text()));
      }
      for (int i = 0; i < REQUESTS; i++) {
        assertThat(replies.get(i).get()).isEqualTo("request " + i);
      }
    }
  }

  private static void failures(String provider) throws Exception {
    RequestReply client = RequestReply.of(open(provider));
    try (RequestReply server =
        RequestReply.of(
            open(provider),
            request -> {
              if (request.text().equals("fail")) {
                request.fail("no such key");
              }
            })) {
      introduce(server, client);
      long peer = client.messenger().insert(server.messenger().address());
      assertThatThrownBy(() -> client.ask("fail".getBytes(UTF_8), peer, Rig.PATIENCE).get())
          .hasMessageContaining("no such key");
      CompletableFuture<Messenger.Message> unanswered =
          client.ask(new byte[RequestReply.MAX_BYTES], peer, Rig.PATIENCE);
      client.close();
      assertThatThrownBy(unanswered::get).hasMessageContaining("ECANCELED");
    }
  }
}
