// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Domain;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.Profile;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.historic.HistoricVector;

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

  private final AddressVector vector;
  private final boolean handlesAreIndices;
  private final @Nullable CallEvents events;

  Subject(Domain domain, Scenario scenario) {
    long flags = scenario.userIds() ? VectorFlag.USER_ID.mask() : 0;
    flags |= scenario.asynchronous() ? eventFlag() : 0;
    vector =
        domain.openAddressVector(
            VectorOptions.defaults()
                .withType(scenario.type())
                .withDuplicates(scenario.policy())
                .withReceiveContextBits(scenario.receiveContextBits())
                .withResolver(AddressPool::resolve)
                .withFlags(flags));
    handlesAreIndices =
        scenario.type() != VectorType.MAP || domain.info().profile() == Profile.RELEASE_2_0;
    if (scenario.asynchronous()) {
      EventQueue queue = domain.fabric().openEventQueue();
      bind(queue);
      events = new CallEvents(queue, vector);
    } else {
      events = null;
    }
  }

  @SuppressWarnings("deprecation") // discouraged from 2.0 on, and to work all the same (AV-008)
  private static long eventFlag() {
    return VectorFlag.EVENT.mask();
  }

  @SuppressWarnings("deprecation") // as above (AV-071)
  private void bind(EventQueue queue) {
    HistoricVector.of(vector).bind(queue, 0);
  }

  AddressVector vector() {
    return vector;
  }

  /** Whether handles are positions (AV-024, AV-025). */
  boolean handlesAreIndices() {
    return handlesAreIndices;
  }

  /** The handle of a live index. */
  long handleOf(int index) {
    return handlesAreIndices ? index : vector.handleAt(index);
  }

  /** Inserts a list; a {@link Form#SINGLE} one must have one element. */
  Answer insert(List<Element> elements, Form form, long flags, long @Nullable [] userIds) {
    return form == Form.SINGLE
        ? insertOne(elements.getFirst().value())
        : start(elements, form, flags, userIds).get();
  }

  /** Begins to insert a list and gives what waits for the outcome. */
  Supplier<Answer> start(List<Element> elements, Form form, long flags, long @Nullable [] userIds) {
    return form == Form.PACKED
        ? startPacked(pack(elements), elements.size(), flags, userIds)
        : startValues(elements.stream().map(Element::value).toList(), flags, userIds);
  }

  /** Begins to insert packed addresses and gives what waits for the outcome. */
  Supplier<Answer> startPacked(
      MemorySegment addresses, int count, long flags, long @Nullable [] userIds) {
    return packed(
        count,
        flags,
        userIds,
        (handles, errors, context) ->
            vector.insert(addresses, count, handles, errors, flags, context));
  }

  /** Begins to insert values and gives what waits for the outcome. */
  Supplier<Answer> startValues(
      List<? extends FabricAddress> addresses, long flags, long @Nullable [] userIds) {
    return values(addresses.size(), flags, userIds, options -> vector.insert(addresses, options));
  }

  Answer insertOne(FabricAddress address) {
    return single(() -> vector.insert(address));
  }

  Answer insertService(Element element, Form form, long flags, long @Nullable [] userIds) {
    String node = node(element);
    String service = element.service();
    return switch (form) {
      case PACKED ->
          packed(
                  1,
                  flags,
                  userIds,
                  (handles, errors, context) ->
                      vector.insertService(node, service, handles, errors, flags, context))
              .get();
      case VALUES ->
          values(1, flags, userIds, options -> vector.insertService(node, service, options)).get();
      case SINGLE -> single(() -> vector.insertService(node, service));
    };
  }

  Answer insertSymmetric(
      AddressPool.Bounds range, Form form, long flags, long @Nullable [] userIds) {
    String node = range.node();
    String service = range.service();
    int nodes = range.nodes();
    int services = range.services();
    return (form == Form.PACKED
            ? packed(
                range.count(),
                flags,
                userIds,
                (handles, errors, context) ->
                    vector.insertSymmetric(
                        node, nodes, service, services, handles, errors, flags, context))
            : values(
                range.count(),
                flags,
                userIds,
                options -> vector.insertSymmetric(node, nodes, service, services, options)))
        .get();
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

  private Supplier<Answer> packed(
      int count, long flags, long @Nullable [] userIds, PackedCall call) {
    long[] handles = userIds == null ? filled(count) : userIds.clone();
    boolean wantsErrors = (flags & InsertFlag.SYNC_ERR.mask()) != 0;
    int[] errors = wantsErrors ? new int[count] : null;
    if (errors != null) {
      Arrays.fill(errors, -1);
    }
    Object context = new Object();
    int returned =
        announced(
            context,
            count,
            () ->
                call.insert(
                    MemorySegment.ofArray(handles),
                    errors == null ? null : MemorySegment.ofArray(errors),
                    context));
    CallEvents queue = events;
    return queue == null
        ? () -> new Answer(returned, handles, errors)
        : () -> new Answer(returned, handles, queue.await(context));
  }

  /** An insertion with options. */
  private interface ValueCall {
    Insertion insert(InsertOptions options);
  }

  private Supplier<Answer> values(
      int count, long flags, long @Nullable [] userIds, ValueCall call) {
    Object context = new Object();
    InsertOptions options = InsertOptions.of(flags, userIds).withContext(context);
    Insertion insertion = announced(context, count, () -> call.insert(options));
    check(insertion.requested() == count, "requested() is not the number of addresses");
    return () -> finished(insertion, context);
  }

  private Answer finished(Insertion insertion, Object context) {
    int[] seen = events == null ? null : events.await(context);
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

  /** Makes a call whose events are waited for from now on, unless it is refused. */
  private <T> T announced(@Nullable Object context, int count, Supplier<T> call) {
    if (events == null) {
      return call.get();
    }
    events.expect(context, count);
    try {
      return call.get();
    } catch (FabricException refused) {
      events.forget(context);
      throw refused;
    }
  }

  private Answer single(Supplier<Long> call) {
    long handle;
    try {
      handle = announced(null, 1, call); // the form takes no context, so its events carry none
    } catch (FabricException refused) {
      check(events == null, "a single asynchronous insertion failed at once: " + refused);
      return new Answer(
          0, new long[] {Handles.NOT_AVAILABLE}, new int[] {refused.errno().number()});
    }
    if (events == null) {
      return new Answer(1, new long[] {handle}, new int[] {0});
    }
    return new Answer(0, null, events.await(null));
  }

  /** Whether every call so far has had all its events read. */
  boolean isQuiet() {
    return events == null || events.isQuiet();
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
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    for (Element element : elements) {
      byte[] part = element.packed();
      if (part == null) {
        throw new IllegalArgumentException(element + " has no packed form");
      }
      packed.writeBytes(part);
    }
    return MemorySegment.ofArray(packed.toByteArray());
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
