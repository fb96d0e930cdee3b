// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Domain;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.Profile;
import org.ofi4j.VectorStatistics;
import org.ofi4j.conformance.harness.FabricTexts;

/** One sequence of all operations, on few addresses. */
final class RandomRun extends Run {
  private static final int MOST_IN_A_CALL = 9;
  private static final int STALE_COMPARED = 64;
  private static final long UNKNOWN_INSERT_FLAG = 1L << 3;

  private final AddressPool pool;
  private HandleBook book;
  private ReferenceVector reference;

  RandomRun(Domain domain, Scenario scenario, long seed) {
    super(domain, scenario, seed);
    pool = new AddressPool(scenario.format(), FabricTexts.areIn(domain.info()));
    reference = freshReference();
    book = new HandleBook(subject.handlesAreIndices(), scenario.receiveContextBits());
  }

  private ReferenceVector freshReference() {
    DuplicatePolicy policy = scenario.policy();
    if (policy == DuplicatePolicy.BY_VERSION) {
      policy =
          version.isAtLeast(ApiVersion.V1_15) ? DuplicatePolicy.SHARE : DuplicatePolicy.NEW_INDEX;
    }
    return new ReferenceVector(policy, domain.info().profile() != Profile.CANDIDATE_1_0);
  }

  @Override
  void operate() {
    int kind = random.nextInt(1000);
    if (kind < 310) {
      insert();
    } else if (kind < 340) {
      insertTogether();
    } else if (kind < 430) {
      insertService();
    } else if (kind < 490) {
      insertSymmetric();
    } else if (kind < 690) {
      remove(1);
    } else if (kind < 760) {
      remove(1 + random.nextInt(MOST_IN_A_CALL));
    } else if (kind < 800) {
      replace();
    } else if (kind < 860) {
      lookup();
    } else if (kind < 930) {
      find();
    } else if (kind < 960) {
      long handle = anyHandle();
      operation = "setUserId " + handle;
      setUserId(handle, random.nextLong(-1, 3), reference.isLive(book.indexOf(handle)));
    } else if (kind < 994) {
      refused();
    } else if (kind < 998) {
      removeMost();
    } else {
      reopen();
    }
  }

  private void insert() {
    Subject.Form form = form();
    int count = form == Subject.Form.SINGLE ? 1 : random.nextInt(MOST_IN_A_CALL);
    List<Element> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      elements.add(pool.any(random));
    }
    long @Nullable [] ids = form == Subject.Form.SINGLE ? null : userIds(count, 4);
    long flags = form == Subject.Form.SINGLE ? 0 : flags(ids);
    operation = "insert " + form + " " + elements;
    expect(expected(elements), subject.insert(elements, form, flags, ids));
  }

  /**
   * Several insertions under way at once. All but the last are good and new, because when the index
   * of a failure is unused again would depend on time; and none has an address of another one, as
   * it depends on time which of them it is new to.
   */
  private void insertTogether() {
    List<Supplier<Answer>> started = new ArrayList<>();
    List<List<Outcome>> outcomes = new ArrayList<>();
    List<Element> together = new ArrayList<>();
    int calls = 2 + random.nextInt(3);
    operation = calls + " insertions together";
    for (int call = 1; call <= calls; call++) {
      List<Element> elements = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        Element element = call == calls ? pool.any(random) : pool.good(random);
        boolean mayRepeat = call == calls;
        if (isNew(element, together)
            && (mayRepeat
                || (reference.find(element.identity()) < 0 && isNew(element, elements)))) {
          elements.add(element);
        }
      }
      together.addAll(elements);
      Subject.Form form = listForm();
      operation += ", " + form + " " + elements;
      started.add(subject.start(elements, form, 0, null));
      outcomes.add(expected(elements));
    }
    for (int call = 0; call < calls; call++) {
      expect(outcomes.get(call), started.get(call).get());
    }
  }

  private static boolean isNew(Element element, List<Element> others) {
    return others.stream().noneMatch(other -> other.identity().equals(element.identity()));
  }

  private void insertService() {
    Subject.Form form = form();
    Element element = pool.service(random, version.isAtLeast(ApiVersion.V1_5));
    long @Nullable [] ids = form == Subject.Form.SINGLE ? null : userIds(1, 4);
    long flags = form == Subject.Form.SINGLE ? 0 : flags(ids);
    operation = "insertService " + form + " " + element.node() + " " + element.service();
    expect(expected(List.of(element)), subject.insertService(element, form, flags, ids));
  }

  private void insertSymmetric() {
    Subject.Form form = listForm();
    AddressPool.Range range = pool.range(random);
    List<Element> elements = range.elements();
    long @Nullable [] ids = userIds(elements.size(), 4);
    long flags = flags(ids);
    operation = "insertSymmetric " + form + " " + range;
    expect(expected(elements), subject.insertSymmetric(range.bounds(), form, flags, ids));
  }

  private Subject.Form form() {
    return switch (random.nextInt(3)) {
      case 0 -> Subject.Form.PACKED;
      case 1 -> Subject.Form.VALUES;
      default -> Subject.Form.SINGLE;
    };
  }

  private long flags(long @Nullable [] ids) {
    long flags = flags(ids, 8);
    return random.nextInt(4) == 0 ? flags | InsertFlag.MORE.mask() : flags;
  }

  private List<Outcome> expected(List<Element> elements) {
    return reference.insert(elements, scenario.asynchronous());
  }

  private void expect(List<Outcome> outcomes, Answer answer) {
    int successes = (int) outcomes.stream().filter(Outcome::succeeded).count();
    int returned = successes;
    if (scenario.asynchronous()) {
      boolean counts = domain.info().profile() == Profile.CANDIDATE_1_0 && answer.handles() != null;
      returned = counts ? outcomes.size() : 0; // AV-203, AV-204
    }
    same("value returned", returned, answer.returned());
    long[] handles = answer.handles();
    int[] errors = answer.errors();
    for (int i = 0; i < outcomes.size(); i++) {
      Outcome outcome = outcomes.get(i);
      if (errors != null) {
        same("errno of address " + i, outcome.errno(), errors[i]);
      }
      if (handles != null) {
        long expected =
            outcome.succeeded() ? subject.handleOf(outcome.index()) : Handles.NOT_AVAILABLE;
        same("handle of address " + i, expected, handles[i]);
      }
      if (outcome.succeeded()) {
        book.note(subject.handleOf(outcome.index()), outcome.index());
      }
    }
  }

  private void remove(int count) {
    long[] handles = new long[count];
    int expected = 0;
    for (int i = 0; i < count; i++) {
      handles[i] = anyHandle();
      int errno = reference.remove(book.indexOf(handles[i]));
      expected = expected == 0 ? errno : expected;
    }
    Subject.Form form = count == 1 ? form() : listForm();
    operation = "remove " + form + " " + Arrays.toString(handles);
    same("errno of remove " + Arrays.toString(handles), expected, subject.remove(handles, form));
  }

  private void removeMost() {
    List<Integer> indices = new ArrayList<>(reference.indices());
    indices.removeIf(index -> random.nextInt(8) == 0);
    operation = "remove most: " + indices;
    long[] handles = indices.stream().mapToLong(subject::handleOf).toArray();
    indices.forEach(reference::remove);
    same("errno of a bulk remove", 0, subject.remove(handles, Subject.Form.VALUES));
  }

  private void replace() {
    long handle = anyHandle();
    Element element = pool.any(random);
    operation = "replace " + handle + " " + element;
    int expected = reference.replace(book.indexOf(handle), element);
    int errno = Subject.errnoOf(() -> subject.vector().replace(handle, element.value()));
    same("errno of " + operation, expected, errno);
  }

  private void lookup() {
    long handle = anyHandle();
    operation = "lookup " + handle;
    compareLookup(handle, reference.lookup(book.indexOf(handle)));
  }

  private void find() {
    Element element = pool.any(random);
    operation = "find " + element;
    int index = element.errno() == 0 ? reference.find(element.identity()) : -1;
    AddressVector vector = subject.vector();
    long expected = index < 0 ? Handles.NOT_AVAILABLE : subject.handleOf(index);
    same("find of ", element, expected, vector.find(element.value()));
    if (element.packed() != null) {
      MemorySegment packed = MemorySegment.ofArray(element.packed());
      same("find of packed ", element, expected, vector.find(packed));
      same("refusal of ", element, reference.takes(element), vector.refusal(packed) == null);
    }
  }

  /** Calls that are wrong as a whole: they say so and change nothing. */
  private void refused() {
    Element element = pool.good(random);
    boolean unknownFlag = random.nextBoolean();
    operation = unknownFlag ? "insert with an unknown flag" : "insert with short arrays";
    int expected = unknownFlag ? Errno.EBADFLAGS.number() : Errno.EINVAL.number();
    byte[] packed = element.packed();
    MemorySegment address = packed == null ? null : MemorySegment.ofArray(packed);
    MemorySegment handles = MemorySegment.ofArray(new long[2]);
    int errno =
        Subject.errnoOf(() ->
            subject
                .vector()
                .insert(
                    address,
                    unknownFlag ? 1 : 3, // three addresses, but room and bytes for fewer
                    handles,
                    null,
                    unknownFlag ? UNKNOWN_INSERT_FLAG : 0,
                    null));
    same("errno of a refused insert", expected, errno);
    Subject.check(subject.isQuiet(), "a refused insert has events");
  }

  private void reopen() {
    operation = "reopen";
    compareAll();
    subject.close();
    reference = freshReference();
    subject = new Subject(domain, scenario);
    book = new HandleBook(subject.handlesAreIndices(), scenario.receiveContextBits());
  }

  /** Mostly live handles, often stale ones, sometimes ones that never were. */
  private long anyHandle() {
    List<Integer> live = reference.indices();
    int kind = random.nextInt(12);
    if (kind < 7 && !live.isEmpty()) {
      return book.decorated(subject.handleOf(live.get(random.nextInt(live.size()))), random);
    }
    return kind < 10
        ? book.anyIssued(random)
        : book.wrong(live.isEmpty() ? 0 : subject.handleOf(live.getFirst()), random);
  }

  @Override
  void compareSome() {
    AddressVector vector = subject.vector();
    same("size", reference.size(), vector.size());
    VectorStatistics statistics = vector.statistics();
    same("entries", reference.size(), statistics.entries());
    same("most entries ever", reference.mostEntries(), statistics.highWaterMark());
    Subject.check(statistics.capacity() >= vector.size(), "capacity below size");
  }

  /** Compares every entry forwards and backwards, and many handles that may be stale. */
  @Override
  void compareAll() {
    compareSome();
    for (int index : reference.indices()) {
      FabricAddress stored = reference.lookup(index);
      compareLookup(subject.handleOf(index), stored);
      if (stored != null) {
        long found = subject.vector().find(stored);
        int lowest = reference.find(reference.identity(index));
        same("find of ", stored, subject.handleOf(lowest), found);
      }
    }
    for (long handle : book.some(STALE_COMPARED)) {
      compareLookup(handle, reference.lookup(book.indexOf(handle)));
    }
  }

  private void compareLookup(long handle, @Nullable FabricAddress stored) {
    AddressVector vector = subject.vector();
    MemorySegment buffer = MemorySegment.ofArray(new byte[96]);
    if (stored == null) {
      int expected = Errno.EINVAL.number();
      same("lookup ", handle, expected, Subject.errnoOf(() -> vector.lookup(handle)));
      same("packed ", handle, expected, Subject.errnoOf(() -> vector.lookup(handle, buffer)));
      return;
    }
    same("lookup of ", handle, stored, vector.lookup(handle));
    byte[] bytes = stored.toBytes();
    same("length of ", handle, bytes.length, vector.lookup(handle, buffer));
    MemorySegment copied = buffer.asSlice(0, bytes.length);
    same("bytes of ", handle, -1L, copied.mismatch(MemorySegment.ofArray(bytes)));
    same("text of ", stored, AddressPool.text(stored), vector.toText(copied));
  }

  private static void same(String what, Object of, Object expected, @Nullable Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError(what + of + ": expected " + expected + ", got " + actual);
    }
  }
}
