package org.ofi4j.conformance.model;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.AvFlag;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;

/**
 * The vector under test behind a face on which all forms of a call look alike. Waits for the events
 * of asynchronous insertions, and checks on the way whatever does not depend on a reference.
 */
final class Subject implements AutoCloseable {
  /** The forms that every insertion has. */
  enum Form {
    /** Memory segments in and out. */
    PACKED,
    /** Values in, a result object out. */
    VALUES,
    /** One address in, its handle out. */
    SINGLE
  }

  /** Gives a stuck event queue away, and is never waited for otherwise. */
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final AddressVector vector;
  private final @Nullable EventQueue events;

  Subject(Domain domain, Scenario scenario) {
    long flags = scenario.userIds() ? AvFlag.USER_ID.mask() : 0;
    flags |= scenario.asynchronous() ? eventFlag() : 0;
    vector =
        domain.openAddressVector(
            AvAttributes.defaults()
                .type(scenario.type())
                .duplicates(scenario.policy())
                .rxContextBits(scenario.rxContextBits())
                .resolver(AddressPool::resolve)
                .flags(flags));
    events = scenario.asynchronous() ? domain.fabric().openEventQueue() : null;
    if (events != null) {
      bind(events);
    }
  }

  @SuppressWarnings("deprecation") // discouraged from 2.0 on, and to work all the same (AV-008)
  private static long eventFlag() {
    return AvFlag.EVENT.mask();
  }

  @SuppressWarnings("deprecation") // as above (AV-071)
  private void bind(EventQueue queue) {
    vector.bind(queue, 0);
  }

  AddressVector vector() {
    return vector;
  }

  /** Inserts a list; a {@link Form#SINGLE} one must have one element. */
  Answer insert(List<Element> elements, Form form, long flags, long @Nullable [] userIds) {
    return switch (form) {
      case PACKED ->
          packed(
              elements.size(),
              flags,
              userIds,
              (handles, errors, context) ->
                  vector.insert(pack(elements), elements.size(), handles, errors, flags, context));
      case VALUES ->
          values(
              flags,
              userIds,
              options -> vector.insert(elements.stream().map(Element::value).toList(), options));
      case SINGLE -> single(() -> vector.insert(elements.getFirst().value()));
    };
  }

  Answer insertService(Element element, Form form, long flags, long @Nullable [] userIds) {
    String node = node(element);
    return switch (form) {
      case PACKED ->
          packed(
              1,
              flags,
              userIds,
              (handles, errors, context) ->
                  vector.insertService(node, element.service(), handles, errors, flags, context));
      case VALUES ->
          values(flags, userIds, options -> vector.insertService(node, element.service(), options));
      case SINGLE -> single(() -> vector.insertService(node, element.service()));
    };
  }

  Answer insertSymmetric(
      AddressPool.Range range, Form form, long flags, long @Nullable [] userIds) {
    if (form == Form.PACKED) {
      return packed(
          range.elements().size(),
          flags,
          userIds,
          (handles, errors, context) ->
              vector.insertSymmetric(
                  range.node(),
                  range.nodeCount(),
                  range.service(),
                  range.serviceCount(),
                  handles,
                  errors,
                  flags,
                  context));
    }
    return values(
        flags,
        userIds,
        options ->
            vector.insertSymmetric(
                range.node(), range.nodeCount(), range.service(), range.serviceCount(), options));
  }

  private static String node(Element element) {
    String node = element.node();
    if (node == null) {
      throw new IllegalArgumentException(element + " has no node");
    }
    return node;
  }

  /** An insertion into arrays. */
  private interface PackedCall {
    int insert(MemorySegment handles, @Nullable MemorySegment errors, Object context);
  }

  private Answer packed(int count, long flags, long @Nullable [] userIds, PackedCall call) {
    long[] handles = userIds == null ? filled(count) : userIds.clone();
    boolean wantsErrors = (flags & InsertFlag.SYNC_ERR.mask()) != 0;
    int[] errors = wantsErrors ? new int[count] : null;
    if (errors != null) {
      Arrays.fill(errors, -1);
    }
    Object context = new Object();
    int returned =
        call.insert(
            MemorySegment.ofArray(handles),
            errors == null ? null : MemorySegment.ofArray(errors),
            context);
    return events == null
        ? new Answer(returned, handles, errors)
        : new Answer(returned, handles, await(context, count));
  }

  /** An insertion with options. */
  private interface ValueCall {
    Insertion insert(InsertOptions options);
  }

  private Answer values(long flags, long @Nullable [] userIds, ValueCall call) {
    Object context = new Object();
    Insertion insertion =
        call.insert(new InsertOptions(flags, userIds == null ? null : userIds.clone(), context));
    int[] seen = events == null ? null : await(context, insertion.requested());
    int[] errors = new int[insertion.requested()];
    int successes = 0;
    for (int i = 0; i < errors.length; i++) {
      errors[i] = insertion.error(i);
      successes += errors[i] == 0 ? 1 : 0;
    }
    check(insertion.isDone(), "an insertion is not done after its completion");
    check(seen == null || Arrays.equals(seen, errors), "events and result object differ");
    check(insertion.inserted() == successes, "inserted() is not the number without errors");
    check(
        insertion.failures().size() == errors.length - successes,
        "failures() does not list each failed address once");
    insertion
        .failures()
        .forEach(failure ->
            check(
                errors[failure.position()] == failure.errno().number()
                    && !failure.reason().isBlank(),
                "failure " + failure + " does not say what error() says"));
    return new Answer(insertion.result(), insertion.handles(), errors);
  }

  private Answer single(LongSupplier call) {
    long handle;
    try {
      handle = call.getAsLong();
    } catch (FabricException refused) {
      check(events == null, "a single asynchronous insertion failed at once: " + refused);
      return new Answer(
          0, new long[] {Handles.NOT_AVAILABLE}, new int[] {refused.errno().number()});
    }
    if (events == null) {
      return new Answer(1, new long[] {handle}, new int[] {0});
    }
    int[] errors = await(null, 1); // the form takes no context, so its events carry none
    return new Answer(0, null, errors);
  }

  /** Reads the events of one call: failures first, then one completion (AV-055, AV-062). */
  @SuppressWarnings("ReferenceEquality") // the very object, not something like it
  private int[] await(@Nullable Object context, int count) {
    int[] errors = new int[count];
    int failures = 0;
    while (true) {
      Event event = next();
      check(event.source() == vector, "an event is about " + event.source());
      check(event.context() == context, "an event carries another call's context: " + event);
      switch (event) {
        case Event.Failure failure -> {
          int position = Math.toIntExact(failure.index());
          check(position >= 0 && position < count, "an event is about address " + position);
          check(errors[position] == 0, "address " + position + " failed twice");
          errors[position] = failure.errno().number();
          failures++;
        }
        case Event.InsertionComplete complete -> {
          check(
              complete.data() == count - failures,
              "the completion counts "
                  + complete.data()
                  + " of "
                  + count
                  + ", "
                  + failures
                  + " failed");
          return errors;
        }
      }
    }
  }

  private Event next() {
    EventQueue queue = events;
    if (queue == null) {
      throw new IllegalStateException("a synchronous vector has no events");
    }
    try {
      Event event = queue.read(DEADLINE);
      if (event == null) {
        throw new AssertionError("no event after " + DEADLINE.toSeconds() + " s");
      }
      return event;
    } catch (FabricException unread) {
      check(unread.errno() == Errno.EAVAIL, "reading an event failed: " + unread);
      Event.Failure failure = queue.readError();
      if (failure == null) {
        throw new AssertionError("a pending error cannot be read");
      }
      return failure;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for an event", interrupted);
    }
  }

  /** Whether every call so far has had all its events read. */
  boolean isQuiet() {
    return events == null || events.peek() == null;
  }

  /** Removes handles in one of three forms and gives the errno, 0 for none. */
  int remove(long[] handles, Form form) {
    return errnoOf(() -> {
      switch (form) {
        case PACKED -> {
          try (Arena arena = Arena.ofConfined()) {
            vector.remove(arena.allocateFrom(ValueLayout.JAVA_LONG, handles), handles.length, 0);
          }
        }
        case VALUES -> vector.remove(handles);
        case SINGLE -> vector.remove(handles[0]);
      }
    });
  }

  static int errnoOf(Runnable call) {
    try {
      call.run();
      return 0;
    } catch (FabricException refused) {
      return refused.errno().number();
    }
  }

  private static MemorySegment pack(List<Element> elements) {
    byte[][] parts = new byte[elements.size()][];
    int length = 0;
    for (int i = 0; i < parts.length; i++) {
      byte[] part = elements.get(i).packed();
      if (part == null) {
        throw new IllegalArgumentException(elements.get(i) + " has no packed form");
      }
      parts[i] = part;
      length += part.length;
    }
    byte[] all = new byte[length];
    int end = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, end, part.length);
      end += part.length;
    }
    return MemorySegment.ofArray(all);
  }

  private static long[] filled(int count) {
    long[] handles = new long[count];
    Arrays.fill(handles, 0x55); // so that an element nobody wrote gives itself away
    return handles;
  }

  static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  @Override
  public void close() {
    vector.close();
    if (events != null) {
      events.close();
    }
  }
}
