// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.SendRequest;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.MappedMemory;
import org.ofi4j.provider.libfabric.library.MappedMemory.Range;
import org.ofi4j.provider.libfabric.library.RawMemory;
import org.ofi4j.provider.libfabric.shm.EndpointRegion;

/** Traffic after one of several endpoints of a process was closed, or a peer has gone. */
final class ClosedEndpointProgram {
  private static final int SMALL = 64;

  /** The peers that a vector has places for in its life. */
  private static final int PLACES = 256;

  private static final int MORE_THAN_PLACES = PLACES + 20;

  private static final ConnectionOptions IMPATIENT =
      ConnectionOptions.defaults().withConnectTimeout(Duration.ofMillis(200));

  /** More than one copy through shared memory takes, so that the receiver has to answer. */
  private static final int LARGE = 8_192;

  /** The number of peers that one vector speaks to; libfabric takes 256. */
  private static final int KNOWN = 200;

  /** More peers than libfabric is told before removed ones are looked for. */
  private static final int MORE_THAN_A_SWEEP = 70;

  /** More endpoints than the last ones whose regions stay files after they were closed. */
  private static final int MORE_THAN_FILES = 8;

  /** The offset of the lock in a region, in libfabric before 1.19. */
  private static final int LOCK = 24;

  /** The offset of the byte of regions before 1.19 that says whether peers copy directly. */
  private static final int COPIES = 8;

  private static final byte NO_COPIES = 2;

  private ClosedEndpointProgram() {}

  public static void main(String[] arguments) throws Exception {
    String provider = arguments[1];
    switch (arguments[0]) {
      case "late" -> late(provider, SMALL);
      case "lateLarge" -> late(provider, LARGE);
      case "pending" -> pending(provider);
      case "reopened" -> reopened(provider);
      case "deleted" -> deleted(provider);
      case "sameName" -> sameName(provider);
      case "replied" -> replied(provider);
      case "reused" -> reused(provider);
      case "reusedUnread" -> reusedUnread(provider);
      case "reusedBeside" -> reusedBeside(provider, arguments[2]);
      case "exits" -> exits(provider, arguments[2]);
      case "silent" -> silent(provider);
      case "copying" -> copying(provider);
      case "crowded" -> crowded(provider);
      case "answered" -> answered(provider);
      case "ended" -> ended(provider);
      case "unfinished" -> unfinished(provider);
      case "locked" -> locked(provider);
      case "beside" -> beside(provider, arguments[2]);
      case "crossing" -> crossing(provider);
      case "removed" -> removed(provider, arguments[2]);
      case "removing" -> removing(provider);
      case "many" -> many(provider, Integer.parseInt(arguments[2]));
      case "peer" -> peer(provider);
      default -> gone(provider, arguments[0], arguments[2]);
    }
    System.out.println("survived");
  }

  static void exchange(Rig rig, ReliableEndpoint from, ReliableEndpoint to, int size)
      throws Exception {
    MemorySegment buffer = memory(size);
    to.receive(buffer, "received");
    from.send(pattern(memory(size), size), rig.insert(to), "sent");
    rig.success("received");
    rig.success("sent");
    assertPattern(buffer, size, size);
  }

  /** Sends to a closed endpoint, and goes on with others. */
  private static void late(String provider, int size) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint one = rig.endpoint();
      ReliableEndpoint two = rig.endpoint();
      exchange(rig, one, two, size);
      long toTwo = rig.insert(two);
      two.close();
      for (int i = 0; i < 3; i++) {
        one.send(memory(size), toTwo, "late");
        rig.failure("late");
      }
      exchange(rig, one, one, size);
      exchange(rig, one, rig.endpoint(), size);
    }
  }

  /** Closes a peer of the same process while a send to it is pending. */
  private static void pending(String provider) throws Exception {
    for (int size : new int[] {8, LARGE}) {
      try (Rig rig = new Rig(Rig.hints(provider));
          CompletionQueue other = rig.domain.openCompletionQueue()) {
        ReliableEndpoint receiver = rig.endpoint();
        ReliableEndpoint sender = rig.domain.openReliableEndpoint(rig.vector, other);
        receiver.receive(memory(size), "received");
        sender.send(memory(size), rig.insert(receiver), "sent");
        receiver.close();
        Completion ended = other.read(Rig.PATIENCE);
        // Of a small one libfabric says that it was sent when it was put into the peer's memory.
        if (!(ended instanceof Completion.Failure) && size == LARGE) {
          throw new AssertionError("the peer was closed: " + ended);
        }
        sender.close();
      }
    }
  }

  /** Opens endpoints after others of the same vector were closed. */
  private static void reopened(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      for (int i = 0; i < 20; i++) {
        ReliableEndpoint next = rig.endpoint();
        exchange(rig, next, next, i % 2 == 0 ? SMALL : LARGE);
        next.close();
      }
    }
  }

  /** Closes an endpoint whose file was deleted before, as the exit hook does, with sends to it. */
  private static void deleted(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint one = rig.endpoint();
      ReliableEndpoint two = rig.endpoint();
      exchange(rig, one, two, LARGE);
      long toTwo = rig.insert(two);
      one.send(memory(LARGE), toTwo, "pending");
      Files.delete(file(two));
      two.close();
      rig.failure("pending");
      for (int i = 0; i < 3; i++) {
        one.send(memory(LARGE), toTwo, "late");
        rig.failure("late");
        exchange(rig, one, one, LARGE);
      }
    }
  }

  /** Opens an endpoint with the name of one that is open, and of one that was closed. */
  private static void sameName(String provider) throws Exception {
    FabricAddress name =
        new FabricAddress.TextAddress("ofi4j://same-" + ProcessHandle.current().pid());
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint one = rig.endpoint();
      EndpointOptions named = EndpointOptions.of(rig.vector, rig.queue).withAddress(name);
      ReliableEndpoint first = rig.endpoint(named);
      exchange(rig, one, first, LARGE);
      refuse(rig, named);
      first.close();
      refuse(rig, named);
      exchange(rig, one, one, LARGE);
    }
  }

  private static void refuse(Rig rig, EndpointOptions options) {
    try {
      rig.domain.openReliableEndpoint(options).close();
    } catch (FabricException refused) {
      if (refused.errno() == Errno.EADDRINUSE) {
        return;
      }
      throw refused;
    }
    throw new AssertionError("a name was used again");
  }

  /** Replies to the first message of an endpoint of the same process. */
  private static void replied(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint one = rig.endpoint();
      ReliableEndpoint two = rig.endpoint();
      exchange(rig, one, two, SMALL);
      exchange(rig, two, one, LARGE);
    }
  }

  /** Uses the memory of a message again whose endpoint was closed before the message was read. */
  private static void reused(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint sender = rig.domain.openReliableEndpoint(rig.vector, rig.queue);
      reused(rig, sender);
    }
  }

  /** Does the same while another endpoint of the process has not read a request of the sender. */
  private static void reusedUnread(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider));
        Rig unread = new Rig(Rig.hints(provider).withProgress(Progress.MANUAL))) {
      ReliableEndpoint sender = rig.domain.openReliableEndpoint(rig.vector, rig.queue);
      sender.send(memory(SMALL), rig.insert(unread.endpoint()), "request");
      reused(rig, sender);
    }
  }

  /**
   * Does the same while a peer in another process has not read a request of the sender.
   *
   * @param address the address of that peer
   */
  private static void reusedBeside(String provider, String address) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint sender = rig.domain.openReliableEndpoint(rig.vector, rig.queue);
      long silent = rig.vector.insert(new FabricAddress.TextAddress(address));
      sender.send(memory(SMALL), silent, "request");
      reused(rig, sender);
    }
  }

  /**
   * Exits with an endpoint open when a peer has not read its request yet.
   *
   * @param address the address of the peer
   */
  private static void exits(String provider, String address) throws Exception {
    Rig rig = new Rig(Rig.hints(provider));
    long peer = rig.vector.insert(new FabricAddress.TextAddress(address));
    rig.endpoint().send(memory(SMALL), peer, "request");
    System.exit(0);
  }

  /** Reads nothing until it is told to. */
  private static void silent(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider).withProgress(Progress.MANUAL))) {
      ReliableEndpoint endpoint = rig.endpoint();
      System.out.println(endpoint.address().toText());
      System.in.read();
      exchange(rig, endpoint, endpoint, SMALL);
    }
  }

  private static void reused(Rig rig, ReliableEndpoint sender) throws Exception {
    ReliableEndpoint receiver = rig.endpoint();
    exchange(rig, sender, receiver, SMALL);
    MemorySegment message = pattern(memory(LARGE), LARGE);
    sender.send(message, rig.insert(receiver), "sent");
    sender.close();
    message.fill((byte) 0);
    // The message may have been copied to memory of the provider, which is used again, too.
    ReliableEndpoint other = rig.endpoint();
    for (int i = 0; i < 8; i++) {
      other.receive(memory(LARGE), "other");
      other.send(memory(LARGE), rig.insert(other), "zeros");
      rig.success("other");
      rig.success("zeros");
    }
    MemorySegment buffer = memory(LARGE);
    receiver.receive(buffer, "received");
    // Without direct copies (CMA) the message has ended with its sender.
    Completion received = rig.next(Duration.ofSeconds(1));
    while (received != null && received.context() != "received") {
      received = rig.next(Duration.ofSeconds(1));
    }
    if (received instanceof Completion.Success) {
      assertPattern(buffer, LARGE, LARGE);
    }
  }

  /** Sends from an endpoint that has taken over from its first peer that peers cannot copy. */
  private static void copying(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint first = rig.endpoint();
      ReliableEndpoint second = rig.endpoint();
      exchange(rig, second, first, LARGE);
      exchange(rig, first, second, LARGE);
      int before = directCopies(second);
      if (Libfabric.present().isBefore(1, 19)) {
        // As after a check with a peer whose process has ended.
        for (ReliableEndpoint each : List.of(first, second)) {
          RawMemory.putByte(region(each).start() + COPIES, NO_COPIES);
        }
      }
      ReliableEndpoint third = rig.endpoint();
      exchange(rig, third, second, LARGE);
      check("direct copies", directCopies(third), copies -> copies == before);
    }
  }

  private static Range region(ReliableEndpoint endpoint) {
    return MappedMemory.find(file(endpoint));
  }

  /** Returns whether messages are copied from the memory of the endpoint, as libfabric has it. */
  private static int directCopies(ReliableEndpoint endpoint) {
    return Libfabric.present().isBefore(1, 19)
        ? RawMemory.getByte(region(endpoint).start() + COPIES)
        : 0;
  }

  /** Lets more endpoints send to one than its vector has places for, before 2.0. */
  private static void crowded(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider).withProgress(Progress.AUTO))) {
      ReliableEndpoint receiver = rig.endpoint();
      ReliableEndpoint friend = rig.endpoint();
      exchange(rig, friend, receiver, SMALL);
      exchange(rig, receiver, friend, SMALL);
      int refused = 0;
      for (int i = 0; i < MORE_THAN_PLACES; i++) {
        try (AddressVector vector = rig.domain.openAddressVector();
            CompletionQueue queue = rig.domain.openCompletionQueue();
            ReliableEndpoint next =
                rig.domain.openReliableEndpoint(
                    EndpointOptions.of(vector, queue).withConnections(IMPATIENT))) {
          next.send(memory(SMALL), vector.insert(receiver.address()), "sent");
          switch (queue.read(Rig.PATIENCE)) {
            case Completion.Success _ -> {
              receiver.receive(memory(SMALL), "received");
              rig.success("received");
            }
            case Completion.Failure failure when failure.errno() == Errno.ETIMEDOUT -> refused++;
            case Completion other -> throw new AssertionError(other);
            case null -> throw new AssertionError("nothing has ended");
          }
        }
      }
      if (Libfabric.present().isBefore(1, 18)) {
        check("refused peers", refused, count -> count >= MORE_THAN_PLACES - PLACES);
        check("peers that were taken", MORE_THAN_PLACES - refused, count -> count > PLACES / 2);
        // There is no place for a peer that is inserted either, in the end.
        List<ReliableEndpoint> more = new ArrayList<>();
        try {
          while (more.size() < PLACES) {
            more.add(rig.endpoint());
            friend.send(memory(SMALL), rig.insert(more.getLast()), "more");
            rig.success("more");
          }
          throw new AssertionError("all peers were taken");
        } catch (FabricException full) {
          check("peers that were inserted", more.size(), count -> count <= PLACES / 8);
        }
      }
      exchange(rig, friend, receiver, LARGE);
      exchange(rig, receiver, friend, LARGE);
    }
  }

  /**
   * Takes messages of removed and closed peers while others, which were opened after these, wait
   * for the answer to a message. The receiver answers none of the waiting ones.
   */
  private static void answered(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider).withCapabilities(Capability.MSG))) {
      ReliableEndpoint receiver = rig.endpoint();
      ReliableEndpoint busy = rig.endpoint();
      long toReceiver = rig.insert(receiver);
      long toBusy = rig.insert(busy);
      List<Object> waiting = new ArrayList<>();
      for (int i = 0; i < MORE_THAN_A_SWEEP; i++) {
        boolean closed = i % 2 == 1;
        ReliableEndpoint next =
            closed ? rig.domain.openReliableEndpoint(rig.vector, rig.queue) : rig.endpoint();
        long handle = rig.insert(next);
        next.receive(memory(SMALL), "received");
        receiver.send(memory(SMALL), handle, "hello");
        rig.success("received");
        rig.success("hello");
        Object context = new Object();
        next.send(pattern(memory(LARGE), i), closed ? toReceiver : toBusy, context);
        // A small message is sent when it is in the memory of the peer, behind the large one.
        next.send(memory(SMALL), closed ? toReceiver : toBusy, "small");
        rig.success("small");
        if (closed) {
          rig.vector.remove(handle);
          next.close();
        } else {
          waiting.add(context);
        }
      }
      for (int i = 0; i < MORE_THAN_A_SWEEP; i++) {
        receiver.receive(memory(LARGE), "former");
        rig.next("former");
      }
      for (int i = 0; i < waiting.size(); i++) {
        MemorySegment buffer = memory(LARGE);
        busy.receive(buffer, "large");
        rig.success("large");
        assertPattern(buffer, LARGE, 2 * i);
        rig.success(waiting.get(i));
        busy.receive(memory(SMALL), "small");
        rig.success("small");
      }
    }
  }

  /** Ends the copies of an endpoint and leaves it open, as a process that is stopped in a close. */
  private static void ended(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint endpoint = rig.endpoint();
      byte[] name = endpoint.address().toBytes();
      new EndpointRegion(file(endpoint), name, Libfabric.present()).endCopies(Set.of());
      System.out.println(endpoint.address().toText());
      System.in.read();
    }
  }

  /**
   * Sends to a peer that is being closed, and to others.
   *
   * @param address the address of the peer that is being closed
   */
  private static void beside(String provider, String address) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint sender = rig.endpoint();
      long closing = rig.vector.insert(new FabricAddress.TextAddress(address));
      sender.trySend(memory(SMALL), closing, "to the peer that is being closed");
      ReliableEndpoint other = rig.endpoint();
      exchange(rig, sender, other, SMALL);
      exchange(rig, sender, other, LARGE);
    }
  }

  /** Sends to a peer whose process has not initialized its file yet, and to others. */
  private static void unfinished(String provider) throws Exception {
    String name = "unfinished-" + ProcessHandle.current().pid();
    Path file = Path.of("/dev/shm", name);
    Files.write(file, new byte[1 << 20]);
    try {
      beside(provider, "fi_shm://" + name);
    } finally {
      Files.delete(file);
    }
  }

  /**
   * Ends an operation to a closed endpoint of the process, whose region was copied while another
   * process had its lock.
   */
  private static void locked(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider).withProgress(Progress.MANUAL))) {
      ReliableEndpoint sender = rig.endpoint();
      List<ReliableEndpoint> peers = new ArrayList<>();
      for (int i = 0; i < MORE_THAN_FILES; i++) {
        peers.add(rig.domain.openReliableEndpoint(rig.vector, rig.queue));
        exchange(rig, sender, peers.getLast(), SMALL);
      }
      sender.send(memory(LARGE), rig.insert(peers.getFirst()), "pending");
      Range region = MappedMemory.find(file(peers.getFirst()));
      peers.getFirst().close();
      if (Libfabric.present().isBefore(1, 19) && !MappedMemory.tryLock(region.start() + LOCK)) {
        throw new AssertionError("the lock is taken");
      }
      peers.forEach(ReliableEndpoint::close);
      rig.failure("pending");
      exchange(rig, sender, sender, LARGE);
    }
  }

  private static Path file(ReliableEndpoint endpoint) {
    String address = endpoint.address().toText();
    return Path.of("/dev/shm", address.substring(address.lastIndexOf('/') + 1));
  }

  /** Closes an endpoint whose request to connect crosses one of its peer, which is not read yet. */
  private static void crossing(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider).withProgress(Progress.MANUAL));
        Scanner input = new Scanner(System.in)) {
      ReliableEndpoint endpoint = rig.endpoint();
      System.out.println(endpoint.address().toText());
      long peer = rig.vector.insert(new FabricAddress.TextAddress(input.nextLine()));
      endpoint.send(memory(SMALL), peer, "sent");
      System.out.println("asked");
      input.nextLine();
      rig.next("sent");
      System.out.println("sent");
      endpoint.close();
      System.out.println("closed");
      input.nextLine();
    }
  }

  /**
   * Sends a message to a peer that has removed this endpoint from its vector.
   *
   * @param address the address of the peer
   */
  private static void removed(String provider, String address) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint endpoint = rig.endpoint();
      System.out.println(endpoint.address().toText());
      endpoint.receive(memory(SMALL), "hello");
      rig.success("hello");
      long peer = rig.vector.insert(new FabricAddress.TextAddress(address));
      endpoint.send(memory(LARGE), peer, "sent");
      rig.success("sent");
    }
  }

  /** Removes a peer, and so many others that libfabric may be told, before its message is read. */
  private static void removing(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider));
        Scanner input = new Scanner(System.in)) {
      ReliableEndpoint endpoint = rig.endpoint();
      System.out.println(endpoint.address().toText());
      long peer = rig.vector.insert(new FabricAddress.TextAddress(input.nextLine()));
      endpoint.send(memory(SMALL), peer, "hello");
      rig.success("hello");
      rig.vector.remove(peer);
      for (int i = 0; i < MORE_THAN_A_SWEEP; i++) {
        ReliableEndpoint next = rig.domain.openReliableEndpoint(rig.vector, rig.queue);
        long handle = rig.insert(next);
        endpoint.send(memory(SMALL), handle, "sent");
        rig.next("sent");
        rig.vector.remove(handle);
        next.close();
      }
      endpoint.receive(memory(LARGE), "received");
      rig.success("received");
    }
  }

  /** Opens and closes many, and looks at what they have left in shared memory and on the heap. */
  private static void many(String provider, int times) throws Exception {
    List<WeakReference<ReliableEndpoint>> closed = new ArrayList<>();
    long mapped = 0;
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint first = rig.endpoint();
      for (int i = 0; i < times; i++) {
        mapped = i == KNOWN ? mappings() : mapped;
        if (i < KNOWN) {
          ReliableEndpoint next = rig.domain.openReliableEndpoint(rig.vector, rig.queue);
          exchange(rig, first, next, LARGE);
          exchange(rig, next, first, SMALL);
          next.close();
          closed.add(new WeakReference<>(next));
        } else {
          try (AddressVector other = rig.domain.openAddressVector();
              ReliableEndpoint next = rig.domain.openReliableEndpoint(other, rig.queue)) {
            next.receive(memory(SMALL), "received");
            next.send(memory(SMALL), other.insert(next.address()), "sent");
            rig.success("received");
            rig.success("sent");
            closed.add(new WeakReference<>(next));
          }
        }
      }
      exchange(rig, first, first, LARGE);
      check("mapped files of shared memory", mappedFiles(), count -> count <= 8);
      // The first vector still has pointers to those that it knows, and no others.
      long before = mapped;
      check("mappings more than before", mappings() - before, more -> more <= KNOWN / 4);
      check("files in /dev/shm", files(), count -> count <= 8);
      System.gc();
      check(
          "endpoints on the heap",
          closed.stream().filter(each -> each.get() != null).count(),
          count -> count <= 1);
    }
    check("mapped files after all were closed", mappedFiles(), count -> count == 0);
  }

  private static void check(String what, long count, Predicate<Long> expected) {
    if (!expected.test(count)) {
      throw new AssertionError(what + ": " + count);
    }
  }

  private static long mappedFiles() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.contains(" /dev/shm/")).count();
    }
  }

  private static long mappings() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.count();
    }
  }

  private static long files() throws IOException {
    String own = Long.toString(ProcessHandle.current().pid());
    try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
      return files.filter(each -> each.getFileName().toString().startsWith(own)).count();
    }
  }

  /** Takes one message, and then no more; closes its endpoint when it is told to. */
  private static void peer(String provider) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint endpoint = rig.endpoint();
      endpoint.receive(memory(LARGE), "received");
      System.out.println(endpoint.address().toText());
      rig.success("received");
      System.out.println("received");
      System.in.read();
      endpoint.close();
      System.out.println("closed");
      System.in.read();
    }
  }

  /**
   * Has all slots taken by operations to a peer that goes then, as the parent sees to.
   *
   * @param address the peer's
   */
  private static void gone(String provider, String way, String address) throws Exception {
    try (Rig rig = new Rig(Rig.hints(provider))) {
      ReliableEndpoint endpoint = rig.endpoint();
      long peer = rig.vector.insert(new FabricAddress.TextAddress(address));
      endpoint.send(memory(LARGE), peer, "first");
      rig.success("first");
      // A short message that is not copied by the peer, but answered.
      endpoint.send(
          new SendRequest()
              .memory(memory(SMALL))
              .destination(peer)
              .context(way)
              .completes(CompletionLevel.DELIVERED));
      int posted = 1;
      while (endpoint.trySend(memory(LARGE), peer, way)) {
        posted++;
      }
      System.out.println("full");
      System.in.read();
      List<Completion> failures = new ArrayList<>();
      while (failures.size() < posted) {
        failures.add(rig.next(way));
      }
      check(
          "successes",
          failures.stream().filter(Completion.Success.class::isInstance).count(),
          count -> count == 0);
      endpoint.send(memory(LARGE), peer, "late");
      Completion.Failure late = rig.failure("late");
      if (late.errno() != Errno.EHOSTUNREACH) {
        throw new AssertionError("late: " + late);
      }
      for (int i = 0; i <= posted; i++) {
        exchange(rig, endpoint, endpoint, LARGE);
      }
    }
  }
}
