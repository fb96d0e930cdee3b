// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.kit.KitDomain;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.Receiver;
import org.ofi4j.provider.kit.Transmitter;
import org.ofi4j.provider.net.NetDomain;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.connection.ConnectionSettings;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.NetResources;
import org.ofi4j.provider.net.progress.ManualProgress;
import org.ofi4j.provider.net.sharedmemory.MemorySharing;

/**
 * Connecting as applications do, over sockets that are played: any bytes in any pieces, and cuts
 * wherever one can be, against a passive endpoint and against an endpoint that connects. Whatever
 * comes, each side is told once how it ended, and nothing is written that was not asked for. No
 * network and no time is waited for. To look for new inputs, ten million executions of each,
 *
 * <pre>
 *   JAZZER_FUZZ=1 mvn -pl provider-net -am test -Dsurefire.failIfNoSpecifiedTests=false \
 *       -Dofi4j.test.args=-Djunit.jupiter.execution.timeout.mode=disabled \
 *       -Dtest=ConnectingFuzzTest#listening
 * </pre>
 */
class ConnectingFuzzTest {
  private static final int MOST_STEPS = 200;
  private static final int MOST_CALLERS = 8;
  private static final int MOST_BACKLOG = 3;
  private static final int HEADER = 32;
  private static final int REQUEST = 0;
  private static final int RESPONSE = 1;
  private static final int REFUSAL = 6;
  private static final byte[] NOTHING = {};
  private static final long LONG = 1L << 60;

  private static final MsgSide SIDE = new MsgSide(Progress.MANUAL);
  private static final KitDomain DOMAIN = (KitDomain) SIDE.domain;
  private static final NetResources RESOURCES = ((NetDomain) DOMAIN.transport()).resources();
  private static final PassiveEndpoint PASSIVE = SIDE.listen();

  private final EventQueue events =
      SIDE.fabric.openEventQueue(EventQueueOptions.defaults().withSize(64));
  private final EventQueue fewEvents =
      SIDE.fabric.openEventQueue(EventQueueOptions.defaults().withSize(1));
  private final CompletionQueue queue =
      SIDE.domain.openCompletionQueue(CompletionQueueOptions.of(CompletionFormat.TAGGED));

  // The script of one run, to be shown when it went wrong.
  private final List<Object> script = new ArrayList<>();

  @AfterEach
  void close() {
    queue.close();
    fewEvents.close();
    events.close();
  }

  private void check(boolean holds, String claim) {
    if (!holds) {
      StringBuilder text = new StringBuilder("not so: ").append(claim);
      for (Object each : script) {
        text.append('\n').append(each instanceof byte[] all ? Arrays.toString(all) : each);
      }
      throw new AssertionError(text.toString());
    }
  }

  /** A connection message, put together without the code that is tested. */
  private static byte[] message(int type, byte[] data) {
    ByteBuffer bytes = ByteBuffer.allocate(HEADER + data.length);
    bytes.put((byte) 3).put((byte) type).putShort((short) data.length);
    bytes.order(ByteOrder.LITTLE_ENDIAN).putLong(24, type == REFUSAL ? 0 : 1);
    bytes.put(HEADER, data);
    return bytes.array();
  }

  /** The data of the message of a kind that bytes begin with; null if they do not. */
  private static byte @Nullable [] data(int type, byte[] said) {
    int length = said.length < HEADER ? -1 : length(said);
    return length < 0 || said[0] != 3 || said[1] != type || said.length < HEADER + length
        ? null
        : Arrays.copyOfRange(said, HEADER, HEADER + length);
  }

  private static int length(byte[] said) {
    int length = ByteBuffer.wrap(said).getShort(2) & 0xFFFF;
    return length > 256 ? -1 : length;
  }

  /** Whether bytes are, or may still become, a connection message. */
  private static boolean isPromising(byte[] said) {
    return said.length == 0 || (said[0] == 3 && (said.length < HEADER || length(said) >= 0));
  }

  /** What one of two that connect does. */
  private static final class Speaker {
    final ScriptedSocket socket;
    private byte[] plan = NOTHING;
    private int planned;

    Speaker(ScriptedSocket socket) {
      this.socket = socket;
    }

    /** Says something, or a part of what it means to say. */
    Object speak(FuzzedDataProvider data, int type) {
      switch (data.consumeInt(0, 8)) {
        case 0 -> {
          byte[] bytes = data.consumeBytes(data.consumeInt(0, 48));
          socket.say(bytes);
          return bytes;
        }
        case 1 -> socket.ended = true;
        case 2 -> socket.reset = true;
        case 3 -> socket.room = data.consumeInt(0, 300);
        case 4 -> {
          if (planned == plan.length) {
            plan = message(type, data.consumeBytes(data.consumeInt(0, 256)));
            planned = 0;
          }
          return sayPlanned(data.consumeInt(1, HEADER + 256));
        }
        case 5 -> {
          // A message, but for one byte.
          if (planned < plan.length) {
            plan[data.consumeInt(planned, plan.length - 1)] = data.consumeByte();
          }
          return sayPlanned(plan.length);
        }
        default -> {
          if (planned == plan.length) {
            plan = message(type, NOTHING);
            planned = 0;
          }
          return sayPlanned(plan.length);
        }
      }
      return socket.ended ? "ends" : socket.reset ? "resets" : "has little room";
    }

    private byte[] sayPlanned(int most) {
      int count = Math.min(most, plan.length - planned);
      byte[] bytes = Arrays.copyOfRange(plan, planned, planned + count);
      socket.say(bytes);
      planned += count;
      return bytes;
    }

    boolean isWhole() {
      return !socket.reset && socket.room == Integer.MAX_VALUE;
    }
  }

  /** Who wants to connect to the passive endpoint. */
  private static final class Caller {
    final Speaker speaker;
    @Nullable ConnectionRequest request;

    // What it was answered with, once.
    byte @Nullable [] answer;
    @Nullable MsgTransport endpoint;
    boolean connected;
    boolean shutDown;

    Caller(Speaker speaker) {
      this.speaker = speaker;
    }

    boolean waits() {
      ConnectionRequest present = request;
      return present != null && present.fate == ConnectionRequest.Fate.WAITING;
    }
  }

  @FuzzTest(maxDuration = "1h", maxExecutions = 10_000_000)
  void listening(FuzzedDataProvider data) throws IOException {
    script.clear();
    EventQueue reported = data.consumeBoolean() ? events : fewEvents;
    ScriptedListener listener = ScriptedListener.bound();
    ManualProgress progress = new ManualProgress();
    ListeningTransport passive =
        new ListeningTransport(
            RESOURCES,
            PASSIVE,
            SIDE.info,
            Objects.requireNonNull(Events.to(reported)),
            PassiveOptions.none()
                .withBacklog(data.consumeInt(1, MOST_BACKLOG))
                .withAnswerTimeout(Duration.ofMinutes(1)),
            progress,
            new LocalSocket<>(listener, ScriptedSocket.HERE, ScriptedSocket.HERE),
            new ScriptedSelector());
    List<Caller> callers = new ArrayList<>();
    try {
      for (int step = 0; step < MOST_STEPS && data.remainingBytes() > 0; step++) {
        int action = data.consumeInt(0, 15);
        Caller caller = callers.isEmpty() ? null : data.pickValue(callers);
        if (action < 2 && callers.size() < MOST_CALLERS) {
          callers.add(new Caller(new Speaker(ScriptedSocket.connected())));
          listener.arriving.add(callers.getLast().speaker.socket);
          note(callers, callers.getLast(), "calls");
        } else if (caller != null && action < 11) {
          note(callers, caller, caller.speaker.speak(data, REQUEST));
        } else if (caller != null) {
          answer(passive, callers, caller, action, data, reported);
        }
        passive.endpoint.progress();
        move(callers);
        drain(reported, callers);
        callers.forEach(this::checkWritten);
        long waiting = callers.stream().filter(Caller::waits).count();
        check(waiting <= MOST_BACKLOG, "no more wait than the backlog ever was");
      }
    } finally {
      passive.close();
      progress.close();
      drain(reported, callers);
      for (Caller caller : callers) {
        MsgTransport endpoint = caller.endpoint;
        if (endpoint != null) {
          endpoint.close();
        }
      }
    }
    for (Caller caller : callers) {
      checkWritten(caller);
      ScriptedSocket socket = caller.speaker.socket;
      check(
          !socket.isOpen() || listener.arriving.contains(socket),
          "whatever has come of it, its socket is closed");
    }
    reported.poll(event -> {}, 64);
    queue.poll(Rig.collector(new ArrayDeque<>()), 2 * MOST_STEPS);
  }

  private void note(List<Caller> callers, Caller caller, Object what) {
    script.add("caller " + callers.indexOf(caller));
    script.add(what);
  }

  /** The application answers a request, in time or not. */
  private void answer(
      ListeningTransport passive,
      List<Caller> callers,
      Caller caller,
      int action,
      FuzzedDataProvider data,
      EventQueue reported) {
    ConnectionRequest request = caller.request;
    if (request == null) {
      return;
    }
    byte[] reason = data.consumeBytes(data.consumeInt(0, 8));
    boolean waits = caller.waits();
    note(callers, caller, action == 11 ? "is rejected" : action == 12 ? "is left" : "is accepted");
    try {
      if (action == 11) {
        passive.reject(request, reason);
        caller.answer = waits ? message(REFUSAL, reason) : caller.answer;
        return;
      }
      request.claim();
      check(waits, "only a request that waits can be claimed");
      MsgTransport endpoint = endpoint(caller.speaker.socket, request, LONG, reported);
      caller.endpoint = endpoint;
      if (action == 12) {
        endpoint.close();
        caller.endpoint = null;
        caller.answer = message(REFUSAL, NOTHING);
        return;
      }
      caller.answer = message(RESPONSE, reason);
      endpoint.accept(reason);
    } catch (FabricException refused) {
      script.add(refused);
      boolean late = refused.errno() == Errno.EINVAL || refused.errno() == Errno.ECONNABORTED;
      check(late && (!waits || !caller.speaker.isWhole()), "it is not refused");
    }
  }

  private MsgTransport endpoint(
      ScriptedSocket socket,
      @Nullable ConnectionRequest request,
      long timeout,
      EventQueue reported) {
    Events told = Objects.requireNonNull(Events.to(reported));
    EndpointOpening opening =
        new EndpointOpening(
            PASSIVE,
            DOMAIN,
            DOMAIN.regions(),
            SIDE.info,
            Completions.to(queue, false),
            Completions.to(queue, false),
            null,
            told,
            ConnectionOptions.defaults(),
            0,
            null);
    ConnectionSettings defaults = ConnectionSettings.of(opening);
    return new MsgTransport(
        RESOURCES,
        opening,
        new ConnectionSettings(
            PASSIVE,
            told,
            timeout,
            defaults.peerTimeout(),
            defaults.idleTimeout(),
            null,
            MemorySharing.NONE),
        request,
        new ScriptedSelector(),
        new LocalSocket<>(socket, ScriptedSocket.HERE, ScriptedSocket.HERE));
  }

  private static void move(List<Caller> callers) {
    for (Caller caller : callers) {
      MsgTransport endpoint = caller.endpoint;
      if (endpoint != null) {
        endpoint.endpoint.progress();
      }
    }
  }

  private void drain(EventQueue reported, List<Caller> callers) {
    while (reported.poll(event -> told(event, callers), 64) > 0) {
      // There is more.
    }
  }

  private void told(Event event, List<Caller> callers) {
    script.add(event);
    if (event instanceof Event.ConnectionRequest asked
        && asked.info().handle() instanceof ConnectionRequest request) {
      Caller caller =
          callers.stream()
              .filter(each -> each.speaker.socket.equals(request.connection.channel()))
              .findFirst()
              .orElseThrow();
      check(caller.request == null, "each asks once");
      caller.request = request;
      byte[] wanted = data(REQUEST, caller.speaker.socket.said.toByteArray());
      check(wanted != null, "it has asked");
      check(Arrays.equals(wanted, asked.connectionData()), "with the same data");
    } else {
      check(
          event instanceof Event.Connected || event instanceof Event.Shutdown,
          "an endpoint that accepts is told no more than that");
    }
  }

  /** What was written to a caller is the answer to what it asked, and nothing else. */
  private void checkWritten(Caller caller) {
    ScriptedSocket socket = caller.speaker.socket;
    byte[] written = socket.written.toByteArray();
    byte[] answer = caller.answer;
    byte[] said = socket.said.toByteArray();
    if (written.length > 0) {
      check(data(REQUEST, said) != null, "who asked for nothing hears nothing");
      // Refused unasked: there were too many, or the passive endpoint has gone.
      byte[] expected = answer == null ? message(REFUSAL, NOTHING) : answer;
      int length = Math.min(written.length, expected.length);
      check(
          Arrays.equals(written, 0, length, expected, 0, length)
              && (written.length == expected.length
                  || expected[1] == RESPONSE
                  || !caller.speaker.isWhole()),
          "the answer is the application's");
    }
    if (answer != null && caller.speaker.isWhole()) {
      check(written.length >= answer.length, "the answer is written at once");
    }
    check(
        isPromising(said) || !socket.isOpen() || !socket.isRegistered(),
        "rubbish is heard no more");
  }

  @FuzzTest(maxDuration = "1h", maxExecutions = 10_000_000)
  void connecting(FuzzedDataProvider data) throws IOException {
    // There is no network behind the sockets that Jazzer sees connecting.
    BugDetectors.allowNetworkConnections();
    script.clear();
    EventQueue reported = data.consumeBoolean() ? events : fewEvents;
    boolean late = data.consumeInt(0, 7) == 0;
    byte[] own = data.consumeBytes(data.consumeInt(0, 8));
    Speaker peer = new Speaker(ScriptedSocket.bound());
    ScriptedSocket socket = peer.socket;
    socket.answered = data.consumeBoolean() ? Boolean.TRUE : null;
    MsgTransport traffic = endpoint(socket, null, late ? 1 : LONG, reported);
    List<Event> told = new ArrayList<>();
    Deque<Completion> completed = new ArrayDeque<>();
    Set<Object> posted = new HashSet<>();
    Set<Object> ended = new HashSet<>();
    try {
      post(traffic, posted, false);
      traffic.connect(FabricAddress.of(ScriptedSocket.THERE), own);
      for (int step = 0; step < MOST_STEPS && data.remainingBytes() > 0; step++) {
        act(traffic, peer, posted, data);
        traffic.endpoint.progress();
        int known = told.size();
        reported.poll(told::add, 64);
        told.stream().skip(known).forEach(script::add);
        checkTold(told, known, socket, late);
        queue.poll(Rig.collector(completed), 2 * MOST_STEPS);
        for (Completion each : completed) {
          script.add(each);
          check(posted.contains(each.context()), "it was posted");
          check(ended.add(each.context()), "it ends once");
        }
        completed.clear();
        checkAsked(socket, own);
        boolean over = !told.isEmpty() && !(told.getLast() instanceof Event.Connected);
        check(!over || !socket.isOpen(), "what is over is closed");
        check(!over || ended.containsAll(posted), "what was posted ends with the connection");
      }
    } finally {
      traffic.close();
      reported.poll(event -> {}, 64);
      queue.poll(Rig.collector(completed), 2 * MOST_STEPS);
    }
    check(!socket.isOpen(), "an endpoint that is closed leaves no socket");
  }

  private void act(
      MsgTransport traffic, Speaker peer, Set<Object> posted, FuzzedDataProvider data) {
    Object what;
    switch (data.consumeInt(0, 11)) {
      case 0 -> {
        if (peer.socket.isConnecting() && peer.socket.answered == null) {
          peer.socket.answered = data.consumeInt(0, 3) > 0;
        }
        what = "is answered " + peer.socket.answered;
      }
      case 1 -> what = "receive: " + post(traffic, posted, false);
      case 2 -> what = "send: " + post(traffic, posted, true);
      case 3 -> what = "shut down: " + attempt(traffic::shutdown);
      case 4 -> what = peer.speak(data, REFUSAL);
      default -> what = peer.speak(data, RESPONSE);
    }
    script.add(what);
  }

  private static void send(MsgTransport traffic, MemorySegment memory, Object context) {
    Transmitter transmitter = Objects.requireNonNull(traffic.transmitter());
    transmitter.lock();
    try {
      Operation send = Objects.requireNonNull(transmitter.take(CounterFlag.SEND, false, 0));
      send.memory.set(memory);
      send.context = context;
      transmitter.post(send);
    } finally {
      transmitter.unlock();
    }
  }

  private static void receive(MsgTransport traffic, MemorySegment memory, Object context) {
    Receiver receiver = Objects.requireNonNull(traffic.receiver());
    receiver.lock();
    try {
      Operation receive =
          Objects.requireNonNull(receiver.take(false, Handles.UNSPECIFIED, false, 0, context));
      receive.memory.set(memory);
      receive.context = context;
      receiver.post(receive);
    } finally {
      receiver.unlock();
    }
  }

  private static String post(MsgTransport traffic, Set<Object> posted, boolean sends) {
    Object context = posted.size();
    MemorySegment memory = MemorySegment.ofArray(new byte[4]);
    String refusal =
        attempt(() -> {
          if (sends) {
            send(traffic, memory, context);
          } else {
            receive(traffic, memory, context);
          }
        });
    if (refusal == null) {
      posted.add(context);
    }
    return String.valueOf(refusal);
  }

  /** Why something was refused; null if it was not. */
  private static @Nullable String attempt(Runnable action) {
    try {
      action.run();
      return null;
    } catch (FabricException refused) {
      return refused.toString();
    }
  }

  /** One failure; or a connection, and perhaps its end. */
  private void checkTold(List<Event> told, int known, ScriptedSocket socket, boolean late) {
    byte[] said = socket.said.toByteArray();
    for (int number = known; number < told.size(); number++) {
      switch (told.get(number)) {
        case Event.Connected connected -> {
          byte[] answer = data(RESPONSE, said);
          check(number == 0 && answer != null, "the peer has accepted");
          check(Arrays.equals(answer, connected.connectionData()), "with that data");
        }
        case Event.Shutdown shutdown -> check(number == 1, "what ends has begun");
        case Event.Failure failure -> {
          check(number == 0, "what failed has not begun");
          byte[] refusal = data(REFUSAL, said);
          if (failure.errno() == Errno.ETIMEDOUT) {
            check(late, "it is not late");
          } else if (failure.errno() == Errno.ECONNREFUSED) {
            check(Boolean.FALSE.equals(socket.answered) || refusal != null, "it was refused");
            check(
                Arrays.equals(
                    Boolean.FALSE.equals(socket.answered) ? NOTHING : refusal, failure.errorData()),
                "with that reason");
          } else {
            check(
                socket.ended
                    || socket.reset
                    || socket.room < HEADER + 8
                    || data(RESPONSE, said) == null,
                "it would have come");
          }
        }
        default -> check(false, "no such event comes");
      }
    }
    check(told.size() <= 2, "no more comes");
  }

  /** What is written is a request, and nothing else before the answer. */
  private void checkAsked(ScriptedSocket socket, byte[] own) {
    byte[] written = socket.written.toByteArray();
    byte[] request = message(REQUEST, own);
    int length = Math.min(written.length, request.length);
    check(Arrays.equals(written, 0, length, request, 0, length), "it asks first");
    check(
        written.length <= request.length || data(RESPONSE, socket.said.toByteArray()) != null,
        "it waits for the answer");
  }
}
