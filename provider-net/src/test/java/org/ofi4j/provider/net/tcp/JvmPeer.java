// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ContextOptions;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.FabricAddress;
import org.ofi4j.Fabrics;
import org.ofi4j.Handles;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MessageReceiver;
import org.ofi4j.MessageSender;
import org.ofi4j.OutgoingRequest;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.RemoteMemory;
import org.ofi4j.RemotePlace;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedReceiver;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TaggedSender;
import org.ofi4j.VectorOptions;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.EndpointProcess;
import org.ofi4j.provider.net.Rig;

/**
 * Endpoints over TCP in a JVM of their own, which do what the test says. E is the number of an
 * endpoint, N that of an operation, which decides its {@link Content}.
 *
 * <pre>
 *   name E                                      name HOST PORT
 *   insert-at E HOST PORT                       inserted HANDLE
 *   remove E HANDLE                             removed
 *   send E N HANDLE SIZE [tag=] [data=] [inject=1] [delivered=1]   posted
 *   receive E N SIZE [tag=] [from=]             posted
 *   region N SIZE                               region KEY, of memory that peers may write to
 *   write E N HANDLE SIZE key=                  posted
 *   check N SIZE content=                       right
 *   close-region N                              closed
 *   await N [content=]                          sent | received LENGTH FLAGS DATA TAG SOURCE | failed
 *   close                                       closed, and waits for the next
 *   open PROGRESS PORT ENDPOINTS SHARED GROUPS  name HOST PORT
 *   quit                                        bye
 * </pre>
 */
final class JvmPeer extends PeerProcess {
  /** What vectors of scalable endpoints keep free in their handles. */
  static final int RECEIVE_CONTEXT_BITS = 2;

  /** Those that have closed everything, for whoever needs one next: starting a JVM takes long. */
  private static final Deque<JvmPeer> IDLE = new ConcurrentLinkedDeque<>();

  private boolean isIdle;

  private JvmPeer(Process process, Path errors) {
    super("a JVM with endpoints", process, errors);
  }

  /**
   * Starts one.
   *
   * @param port of its first endpoint, 0 for one that the system picks
   * @param endpoints how many endpoints
   * @param shared whether they have one vector and one queue, instead of one each
   */
  static JvmPeer start(Progress progress, int port, int endpoints, boolean shared)
      throws IOException {
    return start(progress, port, endpoints, shared, 0);
  }

  /** One endpoint that has peer groups. */
  static JvmPeer withGroups(Progress progress, int most) throws IOException {
    return start(progress, 0, 1, true, most);
  }

  private static JvmPeer start(
      Progress progress, int port, int endpoints, boolean shared, int maxGroup) throws IOException {
    String[] arguments = arguments(progress, port, endpoints, shared, maxGroup);
    JvmPeer idle = IDLE.poll();
    if (idle != null) {
      idle.open("open " + String.join(" ", arguments));
      return idle;
    }
    return startAnew(arguments);
  }

  private static String[] arguments(
      Progress progress, int port, int endpoints, boolean shared, int maxGroup) {
    return new String[] {progress.name(), "" + port, "" + endpoints, "" + shared, "" + maxGroup};
  }

  private static JvmPeer startAnew(String[] arguments) throws IOException {
    Path errors = Files.createTempFile("peer", ".err");
    errors.toFile().deleteOnExit();
    Process process =
        EndpointProcess.builder(Program.class, List.of(), arguments)
            .redirectError(errors.toFile())
            .start();
    return new JvmPeer(process, errors);
  }

  private void open(String command) {
    isIdle = false;
    meanwhile(() -> {});
    say(command);
    hearNewName(command);
  }

  /** Lets it close everything, and keeps the process for another test. */
  void release() {
    ask("close", "closed");
    assertNoErrors();
    isIdle = true;
    IDLE.add(this);
  }

  @Override
  public void close() {
    if (!isIdle) {
      super.close();
    }
  }

  /** One endpoint, in a process that has just begun. */
  static JvmPeer startAnew(Progress progress, int port) throws IOException {
    return startAnew(arguments(progress, port, 1, true, 0));
  }

  /** One endpoint at a port that the system picks. */
  static JvmPeer start(Progress progress) throws IOException {
    return start(progress, 0, 1, true);
  }

  /**
   * A scalable endpoint; E is the index of its transmit and receive contexts.
   *
   * @param contexts how many of each, with a queue each
   */
  static JvmPeer startScalable(Progress progress, int contexts) throws IOException {
    return start(progress, 0, -contexts, true);
  }

  /** Where an endpoint listens. */
  FabricAddress name(int endpoint) {
    say("name " + endpoint);
    return hearName("name " + endpoint);
  }

  /** Inserts an address at an endpoint; answers the handle there. */
  long insert(int endpoint, FabricAddress address) {
    return Long.parseLong(ask("insert-at " + endpoint + " " + words(address), "inserted "));
  }

  /** What runs there. */
  static final class Program {
    private final Domain domain;

    /** Endpoints, or transmit contexts. */
    private final List<Endpoint> endpoints = new ArrayList<>();

    /** The same endpoints, or receive contexts. */
    private final List<Endpoint> receivers = new ArrayList<>();

    private @Nullable ScalableEndpoint scalable;
    private final List<AddressVector> vectors = new ArrayList<>();
    private final List<CompletionQueue> queues = new ArrayList<>();
    private final Map<Long, MemorySegment> memory = new HashMap<>();
    private final Map<Long, MemoryRegion> regions = new HashMap<>();
    private final Map<Long, Completion> ended = new HashMap<>();
    private final Deque<Completion> taken = new ArrayDeque<>();

    private Program(Domain domain) {
      this.domain = domain;
    }

    public static void main(String[] arguments) throws Exception {
      BlockingQueue<String> commands = new LinkedBlockingQueue<>();
      Thread.ofPlatform().daemon().start(() -> readCommands(commands));
      String[] next = arguments;
      while (serve(next, commands)) {
        System.out.println("closed");
        String[] open = commands.take().split(" ");
        next = Arrays.copyOfRange(open, 1, open.length);
      }
      System.out.println("bye");
    }

    /** Does what it is told, until it is to close everything; says whether it goes on then. */
    private static boolean serve(String[] arguments, BlockingQueue<String> commands)
        throws Exception {
      int contexts = Math.max(0, -Integer.parseInt(arguments[2]));
      var hints =
          Rig.tcp("127.0.0.1", arguments[1], Progress.valueOf(arguments[0]))
              .withTransmitContexts(contexts)
              .withReceiveContexts(contexts);
      var info =
          Fabrics.info(
                  (contexts == 0
                          ? hints
                          : hints.withMoreCapabilities(Capability.NAMED_RECEIVE_CONTEXT))
                      .withMaxGroupId(Integer.parseInt(arguments[4]))
                      .withMoreCapabilities(
                          Capability.MSG,
                          Capability.TAGGED,
                          Capability.RMA,
                          Capability.WRITE,
                          Capability.REMOTE_WRITE,
                          Capability.SOURCE,
                          Capability.DIRECTED_RECEIVE))
              .best();
      try (var fabric = Fabrics.open(info);
          Domain domain = fabric.openDomain()) {
        Program program = new Program(domain);
        program.open(Integer.parseInt(arguments[2]), Boolean.parseBoolean(arguments[3]));
        System.out.println("name " + words(program.endpoints.getFirst().address()));
        String command = commands.poll();
        while (!"quit".equals(command) && !"close".equals(command)) {
          if (command == null) {
            program.move(Duration.ofMillis(1));
          } else {
            System.out.println(program.obey(command.split(" ")));
          }
          command = commands.poll();
        }
        program.close();
        return command.equals("close");
      }
    }

    private static void readCommands(BlockingQueue<String> commands) {
      try (BufferedReader input =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
        for (String line = input.readLine(); line != null; line = input.readLine()) {
          commands.add(line);
        }
      } catch (IOException broken) {
        // As if it had ended.
      }
      System.exit(0); // after quit, or because the test is gone
    }

    private void openScalable(int contexts) {
      vectors.add(
          domain.openAddressVector(
              VectorOptions.table().withCount(1).withReceiveContextBits(RECEIVE_CONTEXT_BITS)));
      ScalableEndpoint opened = domain.openScalableEndpoint(vectors.getFirst());
      scalable = opened;
      for (int i = 0; i < contexts; i++) {
        endpoints.add(opened.openTransmitContext(i, ContextOptions.of(openQueue())));
        receivers.add(opened.openReceiveContext(i, ContextOptions.of(openQueue())));
      }
    }

    private CompletionQueue openQueue() {
      queues.add(domain.openCompletionQueue(CompletionQueueOptions.of(CompletionFormat.TAGGED)));
      return queues.getLast();
    }

    private void open(int count, boolean shared) {
      if (count < 0) {
        openScalable(-count);
        return;
      }
      for (int i = 0; i < count; i++) {
        if (i == 0 || !shared) {
          vectors.add(domain.openAddressVector(VectorOptions.table().withCount(1)));
          openQueue();
        }
        // The first has the wanted port, and the others whichever is free.
        EndpointOptions options = EndpointOptions.of(vectors.getLast(), queues.getLast());
        ReliableEndpoint endpoint =
            domain.openReliableEndpoint(
                i == 0
                    ? options
                    : options.withAddress(FabricAddress.of(new InetSocketAddress("127.0.0.1", 0))));
        endpoints.add(endpoint);
        receivers.add(endpoint);
      }
    }

    private void close() {
      regions.values().forEach(MemoryRegion::close);
      endpoints.forEach(Endpoint::close);
      receivers.forEach(Endpoint::close);
      if (scalable != null) {
        scalable.close();
      }
      queues.forEach(CompletionQueue::close);
      vectors.forEach(AddressVector::close);
    }

    /** Moves data, and keeps what has ended. */
    private void move(Duration timeout) throws InterruptedException {
      for (CompletionQueue queue : queues) {
        queue.poll(Rig.collector(taken), 16, timeout);
      }
      for (Completion each = taken.poll(); each != null; each = taken.poll()) {
        if (!(each.context() instanceof Long number) || ended.put(number, each) != null) {
          throw new AssertionError("not expected: " + each);
        }
      }
    }

    private AddressVector vector(int endpoint) {
      return vectors.get(vectors.size() == 1 ? 0 : endpoint);
    }

    private String obey(String[] words) throws InterruptedException {
      Map<String, Long> options = new HashMap<>();
      List<Long> numbers = new ArrayList<>();
      for (int i = 1; i < words.length; i++) {
        String[] parts = words[i].split("=", 2);
        if (parts.length == 2) {
          options.put(parts[0], Long.decode(parts[1]));
        } else if (words[i].indexOf('.') < 0) {
          numbers.add(Long.decode(words[i]));
        }
      }
      int first = Math.toIntExact(numbers.getFirst());
      switch (words[0]) {
        case "name" -> {
          return "name " + words(endpoints.get(first).address());
        }
        case "insert-at" -> {
          var address = new InetSocketAddress(words[2], Integer.parseInt(words[3]));
          return "inserted " + vector(first).insert(FabricAddress.of(address));
        }
        case "remove" -> {
          vector(first).remove(numbers.get(1));
          return "removed";
        }
        case "send" -> send(endpoints.get(first), numbers, options);
        case "receive" -> receive(receivers.get(first), numbers, options);
        case "write" -> write((RemoteMemory) endpoints.get(first), numbers, options.get("key"));
        case "region" -> {
          MemorySegment target = allocate(numbers.getFirst(), numbers.get(1));
          MemoryRegion region = domain.register(target, Access.REMOTE_WRITE);
          regions.put(numbers.getFirst(), region);
          return "region " + region.key();
        }
        case "close-region" -> {
          regions.remove(numbers.getFirst()).close();
          return "closed";
        }
        case "check" -> {
          Content.verify(
              memory.get(numbers.getFirst()).asSlice(0, numbers.get(1)), options.get("content"));
          return "right";
        }
        case "await" -> {
          return await(numbers.getFirst(), options.get("content"));
        }
        default -> throw new AssertionError("no command: " + words[0]);
      }
      return "posted";
    }

    private MemorySegment allocate(long number, long size) {
      MemorySegment fresh = Arena.ofShared().allocate(size);
      memory.put(number, fresh);
      return fresh;
    }

    private void send(Endpoint endpoint, List<Long> numbers, Map<String, Long> options) {
      Long number = numbers.get(1);
      MemorySegment message = allocate(number, numbers.get(3));
      Content.fill(message, number);
      Long tag = options.get("tag");
      if (tag == null) {
        SendRequest request = new SendRequest().memory(message).context(number);
        ((MessageSender) endpoint).send(said(request, numbers.get(2), options));
      } else {
        TaggedSendRequest request =
            new TaggedSendRequest().memory(message).tag(tag).context(number);
        ((TaggedSender) endpoint).sendTagged(said(request, numbers.get(2), options));
      }
      if (options.containsKey("inject")) {
        message.fill((byte) 0x55);
      }
    }

    private static <R extends OutgoingRequest<R>> R said(
        R request, long handle, Map<String, Long> options) {
      Long data = options.get("data");
      if (data != null) {
        request.data(data);
      }
      if (options.containsKey("inject-complete")) {
        request.completes(CompletionLevel.INJECTED);
      }
      if (options.containsKey("delivered")) {
        request.completes(CompletionLevel.DELIVERED);
      }
      return request.destination(handle).injected(options.containsKey("inject"));
    }

    private void receive(Endpoint endpoint, List<Long> numbers, Map<String, Long> options) {
      Long number = numbers.get(1);
      MemorySegment buffer = allocate(number, numbers.get(2));
      Long tag = options.get("tag");
      long from = options.getOrDefault("from", Handles.UNSPECIFIED);
      if (tag == null) {
        ((MessageReceiver) endpoint)
            .receive(new ReceiveRequest().memory(buffer).source(from).context(number));
      } else {
        ((TaggedReceiver) endpoint)
            .receiveTagged(
                new TaggedReceiveRequest()
                    .memory(buffer)
                    .source(from)
                    .pattern(TagPattern.exactly(tag))
                    .context(number));
      }
    }

    private void write(RemoteMemory endpoint, List<Long> numbers, long key) {
      Long number = numbers.get(1);
      MemorySegment bytes = allocate(number, numbers.get(3));
      Content.fill(bytes, number);
      // Delivered, so that the other process finds them when it is told to look.
      endpoint.write(
          new WriteRequest()
              .memory(bytes)
              .destination(numbers.get(2))
              .place(new RemotePlace(0, bytes.byteSize(), key))
              .context(number)
              .completes(CompletionLevel.DELIVERED));
    }

    private String await(Long number, @Nullable Long content) throws InterruptedException {
      while (!ended.containsKey(number)) {
        move(Duration.ofMillis(1));
      }
      return switch (ended.remove(number)) {
        case Completion.Failure failure -> "failed " + failure.errno().number();
        case Completion.Success success
            when (success.flags() & CompletionFlag.RECEIVE.mask()) == 0 ->
            "sent";
        case Completion.Success success -> {
          Content.verify(
              memory.get(number).asSlice(0, success.length()), content == null ? number : content);
          yield "received %d %x %x %x %d"
              .formatted(
                  success.length(),
                  success.flags(),
                  success.data(),
                  success.tag(),
                  success.source());
        }
      };
    }
  }
}
