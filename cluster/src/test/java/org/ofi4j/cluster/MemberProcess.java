// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.OperationFailedException;
import org.ofi4j.VectorOptions;

/**
 * A process with one member, of a service or of a job, whose vector follows the group. It does what
 * its input says, a line a command, and writes what happens, a line each:
 *
 * <pre>
 *   session ID PASSWORD                      it has this session with ZooKeeper
 *   joined INCARNATION ADDRESS SESSION       it is published; its state is joined
 *   state INCARNATION STATE                  an event: its state has changed
 *   is INCARNATION STATE                     the answer to "state"; incarnation 0 before it joined
 *   again REASON                             joining has failed, and is tried again
 *   left                                     it is not published any more
 *   + NAME INCARNATION ADDRESS HANDLE        an event: joined; - left; ! refused, with the errno
 *   &gt; NAME INCARNATION ADDRESS HANDLE FORMER-INCARNATION FORMER-ADDRESS     moved
 *   vector NUMBER HANDLE=ADDRESS=NAME ...    all that is in the vector
 *   sent TEXT; got TEXT SENDER               messages; the sender by its handle
 * </pre>
 */
final class MemberProcess {
  private static final int SESSION = 2_000;
  private static final int BUFFERS = 256;
  private static final int LONGEST_MESSAGE = 128;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** What it is started with. */
  record Setting(
      String servers, String group, String name, String host, String address, long grace) {
    List<String> arguments() {
      return List.of(servers, group, name, host, address, Long.toString(grace));
    }

    static Setting of(String[] arguments) {
      return new Setting(
          arguments[0],
          arguments[1],
          arguments[2],
          arguments[3],
          arguments[4],
          Long.parseLong(arguments[5]));
    }

    /** Groups whose names end with a size are jobs. */
    boolean isJob() {
      return Character.isDigit(group.charAt(group.length() - 1)) && !group.startsWith("service");
    }

    boolean expires() {
      return group.startsWith("expiring");
    }

    int size() {
      return Integer.parseInt(group.replaceAll("\\D", ""));
    }
  }

  private final Setting setting;
  private final CuratorFramework client;
  private final Cluster cluster;
  private final AddressVector vector;
  private final CompletionQueue queue;
  private final DatagramEndpoint endpoint;
  private final MemorySegment buffers = Arena.ofShared().allocate((long) BUFFERS * LONGEST_MESSAGE);

  /** Whose each handle is, by the events. */
  private final Map<Long, String> names = new ConcurrentHashMap<>();

  private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();
  private @Nullable VectorFeed feed;
  private volatile @Nullable Membership member;

  private MemberProcess(Setting setting) {
    this.setting = setting;
    client =
        CuratorFrameworkFactory.newClient(
            setting.servers(), SESSION, SESSION, new RetryNTimes(600, 100));
    client.getConnectionStateListenable().addListener((_, state) -> connected(state));
    client.start();
    cluster =
        Cluster.of(client, ClusterOptions.of(setting.host()).withTimeout(Duration.ofSeconds(60)));
    Fabric fabric =
        Fabrics.open(
            Hints.latest()
                .withProvider("udp")
                .withEndpointType(EndpointType.DGRAM)
                .withCapabilities(Capability.MSG, Capability.SOURCE)
                .withSource(setting.address()));
    Domain domain = fabric.openDomain();
    vector = domain.openAddressVector(VectorOptions.table());
    queue = domain.openCompletionQueue();
    endpoint = domain.openDatagramEndpoint(vector, queue);
  }

  /** Runs until its input ends or says so. */
  public static void main(String[] arguments) throws InterruptedException {
    MemberProcess process = new MemberProcess(Setting.of(arguments));
    Thread.ofPlatform().daemon().name("receiver").start(process::receive);
    Thread.ofPlatform().daemon().name("commands").start(process::read);
    process.follow();
    process.join();
    while (true) {
      process.obey(process.commands.take().split(" "));
    }
  }

  /** Reads commands; without whoever gives them it ends, whatever it waits for. */
  private void read() {
    try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        commands.add(line);
      }
    } catch (IOException closed) {
      // Nobody is there any more.
    }
    Runtime.getRuntime().halt(1);
  }

  private static void say(String line) {
    synchronized (System.out) {
      System.out.println(line);
    }
  }

  private void connected(ConnectionState state) {
    if (state == ConnectionState.CONNECTED || state == ConnectionState.RECONNECTED) {
      try {
        ZooKeeper session = client.getZookeeperClient().getZooKeeper();
        say(
            "session "
                + session.getSessionId()
                + " "
                + HexFormat.of().formatHex(session.getSessionPasswd()));
      } catch (Exception lostAgain) {
        // The next one will be said.
      }
    }
  }

  private void obey(String[] command) {
    switch (command[0]) {
      case "join" -> join();
      case "leave" -> leave();
      case "state" -> sayState();
      case "look" -> look(command[1]);
      case "send" -> send(command[1], Integer.parseInt(command[2]));
      case "end" -> {
        cluster.close();
        client.close();
        System.exit(0);
      }
      default -> throw new IllegalArgumentException(command[0]);
    }
  }

  private void follow() {
    if (!setting.isJob()) {
      feed =
          again(() ->
              cluster
                  .service(setting.group())
                  .fill(vector, Duration.ofMillis(setting.grace()), this::heard));
    }
  }

  private void join() {
    Membership now = again(this::joinOnce);
    member = now;
    if (now.state() == Membership.State.JOINED) {
      say("joined " + now.member().incarnation() + " " + now.member().address() + " " + session());
    } else {
      say("late " + now.member().incarnation() + " " + now.member().address());
    }
    if (!setting.isJob()) {
      now.addListener(this::heard);
    }
  }

  /** The number of the session, or of one that came after that of the join. */
  private long session() {
    try {
      return client.getZookeeperClient().getZooKeeper().getSessionId();
    } catch (Exception lostAgain) {
      return 0;
    }
  }

  private void sayState() {
    Membership mine = member;
    say(mine == null ? "is 0 CLOSED" : "is " + mine.member().incarnation() + " " + mine.state());
  }

  private Membership joinOnce() {
    if (!setting.isJob()) {
      return cluster
          .service(setting.group())
          .join(setting.name(), endpoint.address(), MemberOptions.none());
    }
    Job job = cluster.job(setting.group(), setting.size());
    return (setting.expires() ? job.expiring() : job)
        .join(
            vector,
            endpoint.address(),
            Integer.parseInt(setting.name()),
            PATIENCE,
            MemberOptions.none(),
            this::heard);
  }

  /** While ZooKeeper is away a call may fail, and is made again. */
  private static <T> T again(Supplier<T> call) {
    while (true) {
      try {
        return call.get();
      } catch (FabricException failure) {
        say("again " + failure.getMessage());
      }
    }
  }

  private void leave() {
    if (member != null) {
      member.close();
    }
    say("left");
  }

  private void heard(MemberEvent event) {
    switch (event) {
      case MemberEvent.Joined(Member now, long handle) -> {
        names.put(handle, now.name());
        say("+ " + text(now) + " " + handle);
      }
      case MemberEvent.Left(Member former, long handle) -> {
        if (!setting.isJob()) {
          names.remove(handle);
        }
        say("- " + text(former) + " " + handle);
      }
      case MemberEvent.Moved(Member now, long handle, Member former) ->
          say(
              "> "
                  + text(now)
                  + " "
                  + handle
                  + " "
                  + former.incarnation()
                  + " "
                  + former.address());
      case MemberEvent.Refused(Member now, var errno, String _) ->
          say("! " + text(now) + " " + errno);
      case MemberEvent.StateChanged(Member own, var state) ->
          say("state " + own.incarnation() + " " + state);
    }
  }

  private static String text(Member member) {
    return member.name() + " " + member.incarnation() + " " + member.address();
  }

  private void look(String number) {
    StringBuilder all = new StringBuilder("vector " + number);
    vector
        .handles()
        .forEach(handle -> {
          String name = names.getOrDefault(handle, "?");
          if (feed != null && feed.handle(name).orElse(-1) != handle) {
            name = "unknown";
          }
          all.append(" " + handle + "=" + vector.lookup(handle) + "=" + name);
        });
    say(all.toString());
  }

  /** Sends messages to handles at random, each with the name that it is meant for. */
  private void send(String number, int count) {
    long[] handles = vector.handles().toArray();
    SplittableRandom random = new SplittableRandom(number.hashCode() + setting.name().hashCode());
    for (int i = 0; i < count; i++) {
      long handle = handles[random.nextInt(handles.length)];
      String text = setting.name() + " " + names.get(handle) + " " + number + "." + i;
      say("sent " + text);
      endpoint.inject(MemorySegment.ofArray(text.getBytes(UTF_8)), handle);
    }
  }

  private void receive() {
    CompletionHandler handler =
        new CompletionHandler() {
          @Override
          public void completed(
              Object context, long flags, long length, long data, long tag, long source) {
            MemorySegment buffer = (MemorySegment) context;
            byte[] text = buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
            say("got " + new String(text, UTF_8) + " " + names.getOrDefault(source, "?"));
            endpoint.receive(buffer, buffer);
          }

          @Override
          public void failed(Completion.Failure failure) {
            throw new OperationFailedException(failure);
          }
        };
    for (int i = 0; i < BUFFERS; i++) {
      MemorySegment buffer = buffers.asSlice((long) i * LONGEST_MESSAGE, LONGEST_MESSAGE);
      endpoint.receive(buffer, buffer);
    }
    try {
      while (queue.poll(handler, 16, Duration.ofSeconds(10)) >= 0) {
        // On and on.
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
