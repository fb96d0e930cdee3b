// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Completion;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.Hints;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.TransportSecurity;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.security.SecureChannel;
import org.ofi4j.provider.net.security.SecureChannelTest;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.wire.TcpLimits;

/** The managers of an application, which may take their time: nobody waits for them. */
class SecureHandshakesTest {
  /** What a manager does before it answers. */
  @FunctionalInterface
  private interface Thought {
    void think() throws CertificateException;
  }

  /** Thinks, and trusts everybody. */
  private static final class Thinking extends X509ExtendedTrustManager {
    private final Thought thought;

    Thinking(Thought thought) {
      this.thought = thought;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      thought.think();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      thought.think();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
      throw new AssertionError("not over sockets");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
      throw new AssertionError("not over sockets");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {
      throw new AssertionError("not without an engine");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {
      throw new AssertionError("not without an engine");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  /** Waits until it may go on; interrupted, it gives up. */
  private static final class Waiting implements Thought {
    final Semaphore begun = new Semaphore(0);
    final CountDownLatch mayGo = new CountDownLatch(1);
    final CountDownLatch interrupted = new CountDownLatch(1);
    private final AtomicInteger atOnce = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    @Override
    public void think() throws CertificateException {
      most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
      begun.release();
      try {
        mayGo.await();
      } catch (InterruptedException unwanted) {
        interrupted.countDown();
        throw new CertificateException("nobody waits for it any more", unwanted);
      } finally {
        atOnce.decrementAndGet();
      }
    }

    void awaitBegun(int count) throws InterruptedException {
      begun.acquire(count);
    }
  }

  private static TransportSecurity trusting(Thought thought) throws Exception {
    return context(SecureConnectionsTest.keys("one"), thought);
  }

  private static TransportSecurity context(KeyManager[] keys, Thought thought) throws Exception {
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(keys, new TrustManager[] {new Thinking(thought)}, null);
    return TransportSecurity.of(context);
  }

  private static PassiveEndpoint listen(MsgSide side, Thought thought) throws Exception {
    return side.listen(PassiveOptions.of(side.events).withSecurity(trusting(thought)));
  }

  private static ConnectedEndpoint endpoint(MsgSide side, Thought thought) throws Exception {
    return side.endpoint(ConnectionOptions.defaults().withSecurity(trusting(thought)));
  }

  private static Hints hints(Progress progress) {
    return Rig.tcp("127.0.0.1", progress);
  }

  private static void exchange(Rig from, Rig to, long handle) throws InterruptedException {
    MemorySegment buffer = Rig.buffer(16);
    to.endpoint().receive(buffer, "received");
    from.endpoint().inject(Rig.message("a message"), handle);
    assertThat(to.next(from).context()).isEqualTo("received");
    assertThat(Rig.text(buffer, 9)).isEqualTo("a message");
  }

  @ParameterizedTest
  @EnumSource(names = {"MANUAL", "AUTO"})
  @DisplayName("While a trust manager thinks, open connections go on, and then the new one does")
  void othersGoOn(Progress progress) throws Exception {
    Waiting waiting = new Waiting();
    AtomicInteger asked = new AtomicInteger();
    TransportSecurity slow =
        trusting(() -> {
          // The first one is known already.
          if (asked.getAndIncrement() > 0) {
            waiting.think();
          }
        });
    try (Rig caller = Rig.reliable(hints(progress), Rig.PATIENCE, slow);
        Rig known = Rig.reliable(hints(progress), Rig.PATIENCE, trusting(() -> {}));
        Rig late = Rig.reliable(hints(progress), Rig.PATIENCE, trusting(() -> {}))) {
      long toKnown = caller.insert(known);
      exchange(caller, known, toKnown);
      MemorySegment buffer = Rig.buffer(16);
      late.endpoint().receive(buffer, "late");
      caller.endpoint().inject(Rig.message("a late one"), caller.insert(late));
      while (!waiting.begun.tryAcquire()) {
        late.move(Duration.ZERO);
        caller.move(Duration.ZERO);
      }
      for (int i = 0; i < 10; i++) {
        exchange(caller, known, toKnown);
      }
      waiting.mayGo.countDown();
      assertThat(late.next(caller).context()).isEqualTo("late");
      assertThat(Rig.text(buffer, 10)).isEqualTo("a late one");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MANUAL", "AUTO"})
  @DisplayName("Whoever sleeps in a queue meanwhile goes on when the trust manager has answered")
  void sleepersGoOn(Progress progress) throws Exception {
    Waiting waiting = new Waiting();
    try (Rig server = Rig.reliable(hints(Progress.AUTO), Rig.PATIENCE, trusting(() -> {}));
        Rig client = Rig.reliable(hints(progress), Rig.PATIENCE, trusting(waiting))) {
      server.endpoint().receive(Rig.buffer(16), "received");
      client.endpoint().send(Rig.message("a message"), client.insert(server), "sent");
      Thread.ofVirtual()
          .start(() -> {
            try {
              waiting.awaitBegun(1);
              waiting.mayGo.countDown();
            } catch (InterruptedException ended) {
              throw new AssertionError(ended);
            }
          });
      // In one sleep, or nearly.
      assertThat(client.next()).isInstanceOf(Completion.Success.class);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MANUAL", "AUTO"})
  @DisplayName("A passive endpoint takes other requests while a trust manager thinks")
  void passive(Progress progress) throws Exception {
    Waiting waiting = new Waiting();
    AtomicInteger asked = new AtomicInteger();
    try (MsgSide server = new MsgSide(progress);
        MsgSide client = new MsgSide(progress)) {
      PassiveEndpoint passive =
          listen(
              server,
              () -> {
                if (asked.getAndIncrement() == 0) {
                  waiting.think();
                }
              });
      for (int i = 0; i < 2; i++) {
        endpoint(client, () -> {}).connect(passive.address());
        if (i == 0) {
          while (!waiting.begun.tryAcquire()) {
            client.move();
            server.move();
          }
        }
      }
      server.event(Event.ConnectionRequest.class, client);
      waiting.mayGo.countDown();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MANUAL", "AUTO"})
  @DisplayName("Closing an endpoint waits for no trust manager, and interrupts it")
  void closing(Progress progress) throws Exception {
    Waiting waiting = new Waiting();
    try (Rig server = Rig.reliable(hints(Progress.AUTO), Rig.PATIENCE, trusting(() -> {}));
        Rig client = Rig.reliable(hints(progress), Rig.PATIENCE, trusting(waiting))) {
      client.endpoint().inject(Rig.message("never"), client.insert(server));
      while (!waiting.begun.tryAcquire()) {
        client.move(Duration.ZERO);
      }
      client.endpoint().close();
      waiting.interrupted.await();
    }
  }

  @Test
  @DisplayName("No more than a number of managers think at a time, and all get their turn")
  void bounded() throws Exception {
    int count = TcpLimits.HANDSHAKE_THREADS + 8;
    Waiting waiting = new Waiting();
    Staging.Pool pool = new Staging.Pool();
    Security asking = new Security(trusting(() -> {}), pool, Runnable::run);
    Security slow = new Security(trusting(waiting), pool);
    List<Played> pairs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      pairs.add(new Played(asking, slow));
    }
    int begun = 0;
    while (begun < TcpLimits.HANDSHAKE_THREADS) {
      for (Played each : pairs) {
        each.move();
      }
      begun += waiting.begun.drainPermits();
    }
    waiting.mayGo.countDown();
    while (begun < count) {
      for (Played each : pairs) {
        each.move();
      }
      begun += waiting.begun.drainPermits();
    }
    assertThat(waiting.most).hasValue(TcpLimits.HANDSHAKE_THREADS);
  }

  @Test
  @DisplayName("Steps of older handshakes go first, so that some come to an end when many wait")
  void oldestFirst() throws Exception {
    Semaphore thinking = new Semaphore(0);
    Semaphore mayGo = new Semaphore(0);
    List<String> order = new CopyOnWriteArrayList<>();
    Staging.Pool pool = new Staging.Pool();
    Security asking = new Security(trusting(() -> {}), pool, Runnable::run);
    Security slow =
        new Security(
            trusting(() -> {
              thinking.release();
              mayGo.acquireUninterruptibly();
            }),
            pool);
    Played older = new Played(asking, new Security(trusting(() -> order.add("older")), pool));
    Played younger = new Played(asking, new Security(trusting(() -> order.add("younger")), pool));
    older.certify();
    younger.certify();
    try {
      // All threads think.
      for (int i = 0; i < TcpLimits.HANDSHAKE_THREADS; i++) {
        Played each = new Played(asking, slow);
        each.certify();
        each.called.read(each.in);
      }
      thinking.acquire(TcpLimits.HANDSHAKE_THREADS);
      younger.called.read(younger.in);
      older.called.read(older.in);
      // One thread has time for both.
      mayGo.release();
      await().forever().until(() -> order.size() == 2);
    } finally {
      mayGo.release(TcpLimits.HANDSHAKE_THREADS);
    }
    assertThat(order).containsExactly("older", "younger");
  }

  /** Two ends of a connection without a network. */
  private static final class Played {
    private final ScriptedSocket here = ScriptedSocket.connected();
    private final ScriptedSocket there = ScriptedSocket.connected();
    private final SecureChannel caller;
    private final SecureChannel called;
    private final ByteBuffer in = ByteBuffer.allocate(1);

    Played(Security asking, Security asked) throws IOException {
      caller = Objects.requireNonNull(asking.over(here, ScriptedSocket.THERE, true));
      called = Objects.requireNonNull(asked.over(there, ScriptedSocket.HERE, false));
    }

    /** Goes on until the certificate of the caller is there to be looked at. */
    void certify() throws IOException {
      call();
      called.read(in);
      await().forever().until(() -> !called.handshake.isBusy());
      called.read(in);
      SecureChannelTest.pass(there, here);
      call();
    }

    /** The caller takes what has come, and then says what follows from it. */
    private void call() throws IOException {
      caller.read(in);
      caller.read(in);
      SecureChannelTest.pass(here, there);
    }

    void move() throws IOException {
      caller.read(in);
      SecureChannelTest.pass(here, there);
      called.read(in);
      SecureChannelTest.pass(there, here);
    }
  }

  /** What trust managers throw. */
  enum Refusal {
    CHECKED,
    UNCHECKED,
    ERROR;

    void come() throws CertificateException {
      switch (this) {
        case CHECKED -> throw new CertificateException("I do not like it");
        case UNCHECKED -> throw new IllegalStateException("I do not like it");
        case ERROR -> throw new AssertionError("I do not like it");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Refusal.class)
  @DisplayName(
      "What a trust manager throws is the reason why there is no connection, on both sides")
  void refusing(Refusal refusal) throws Exception {
    try (RejectedLines log = new RejectedLines();
        MsgSide server = new MsgSide(Progress.AUTO);
        MsgSide client = new MsgSide(Progress.AUTO)) {
      refused(server, client, refusal::come, () -> {}, "TLS");
      assertThat(log.await(1)).singleElement().asString().contains("I do not like it");
      refused(server, client, () -> {}, refusal::come, "I do not like it");
    }
  }

  private static void refused(
      MsgSide server, MsgSide client, Thought listens, Thought connects, String words)
      throws Exception {
    PassiveEndpoint passive = listen(server, listens);
    endpoint(client, connects).connect(passive.address());
    Event.Failure failure = client.event(Event.Failure.class);
    assertThat(failure.errno()).as(failure.reason()).isEqualTo(Errno.EACCES);
    assertThat(failure.reason()).contains("TLS").contains(words);
  }

  @Test
  @DisplayName("No lock is held while a key manager is asked either, by who connects or accepts")
  void keyManagers() throws Exception {
    List<Thread> askedBy = new ArrayList<>();
    X509ExtendedKeyManager real = (X509ExtendedKeyManager) SecureConnectionsTest.keys("one")[0];
    KeyManager[] noting = {
      new ForwardingKeys(
          real,
          () -> {
            synchronized (askedBy) {
              askedBy.add(Thread.currentThread());
            }
          })
    };
    try (Rig server =
            Rig.reliable(hints(Progress.MANUAL), Rig.PATIENCE, context(noting, () -> {}));
        Rig client =
            Rig.reliable(hints(Progress.MANUAL), Rig.PATIENCE, context(noting, () -> {}))) {
      exchange(client, server, client.insert(server));
      // With manual progress this thread has had the locks.
      synchronized (askedBy) {
        assertThat(askedBy).hasSizeGreaterThan(1).doesNotContain(Thread.currentThread());
      }
    }
  }
}
