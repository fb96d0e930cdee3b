// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.Handles;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** INS: arguments and results of {@code fi_av_insert} on a synchronous vector. */
@ConformanceTest
class InsertTests extends AddressTests {
  private static final int EINVAL = Errno.EINVAL.number();
  private static final int EADDRNOTAVAIL = Errno.EADDRNOTAVAIL.number();

  @Proves("AV-075")
  @Variants(forms = {InsertForm.PACKED, InsertForm.COLLECTION})
  void noAddressesAreLegal(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    Inserted nothing = variant.insert(vector, List.of());

    assertThat(nothing.result()).isZero();
    assertThat(nothing.fi()).isEmpty();
    assertThat(vector.size()).isZero();
    assertThat(variant.insert(vector, variant.a(1)).result()).isEqualTo(1);
    assertThat(vector.lookup(vector.handleAt(0))).isEqualTo(variant.a(1));
  }

  @Proves({"AV-075", "AV-088"})
  @EachProfile
  void arraysShorterThanCountAreRefused(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    MemorySegment two = pack(a(1), a(2));
    MemorySegment handles = MemorySegment.ofArray(new long[] {7, 7, 7});

    if (format() != AddressFormat.STR) { // text without end fails alone (AV-078)
      MemorySegment shorter = two.asSlice(0, two.byteSize() - 1);
      Expect.invalid(() -> vector.insert(two, 3, handles, null, 0, null));
      Expect.invalid(() -> vector.insert(shorter, 2, handles, null, 0, null));
    }
    Expect.invalid(() -> vector.insert(two, 2, handles.asSlice(0, 15), null, 0, null));
    Expect.invalid(() -> vector.insert(two, -1, handles, null, 0, null));

    assertThat(vector.size()).isZero();
    assertThat(handles.toArray(ValueLayout.JAVA_LONG_UNALIGNED)).containsOnly(7);
  }

  @Proves("AV-076")
  @Variants(forms = InsertForm.PACKED)
  void addressesFollowEachOther(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    Inserted three = variant.insert(vector, variant.list(1, 3));

    assertThat(three.result()).isEqualTo(3);
    Expect.entries(vector, three.fi(), variant.list(1, 3));
  }

  @Proves("AV-076")
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void unalignedArraysDo(int offset, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    MemorySegment packed = pack(a(1), a(2), a(3));
    byte[] bytes = new byte[offset + (int) packed.byteSize()];
    MemorySegment shifted = MemorySegment.ofArray(bytes).asSlice(offset);
    shifted.copyFrom(packed);
    byte[] out = new byte[offset + 24];
    MemorySegment handles = MemorySegment.ofArray(out).asSlice(offset);

    assertThat(vector.insert(shifted, 3, handles, null, 0, null)).isEqualTo(3);

    assertThat(handles.toArray(ValueLayout.JAVA_LONG_UNALIGNED)).containsExactly(0, 1, 2);
  }

  @Proves({"AV-076", "AV-088"})
  @Test
  void oneBlockMayHoldEverything(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    MemorySegment two = pack(a(1), a(2));
    long end = two.byteSize();
    MemorySegment block = MemorySegment.ofArray(new byte[(int) end + 32]);
    block.asSlice(0, end).copyFrom(two);

    // longer than two addresses need, and the handles begin right behind those
    assertThat(vector.insert(block, 2, block.asSlice(end), null, 0, null)).isEqualTo(2);

    assertThat(block.get(ValueLayout.JAVA_LONG_UNALIGNED, end)).isZero();
    assertThat(block.get(ValueLayout.JAVA_LONG_UNALIGNED, end + 8)).isEqualTo(1);
    assertThat(vector.lookup(1)).isEqualTo(a(2));
  }

  @Proves("AV-076")
  @EachProfile
  void missingAddressesAreRefused(Setup setup, ConformanceEnvironment environment) {
    if (setup.isAppendOnly()) {
      return; // there null means any address: see nullMeansAnyAddressInTheCandidate
    }
    AddressVector vector = environment.vector(setup);
    MemorySegment handles = MemorySegment.ofArray(new long[1]);

    Expect.invalid(() -> vector.insert(null, 1, handles, null, 0, null));

    assertThat(vector.insert(null, 0, handles, null, 0, null)).as("none are needed").isZero();
    assertThat(vector.size()).isZero();
  }

  @Proves(partly = "AV-079")
  @ParameterizedTest
  @ValueSource(strings = {"SOCKADDR_IN", "SOCKADDR_IN6"})
  void nullMeansAnyAddressInTheCandidate(AddressFormat format, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.profiles().getFirst().format(format));
    long[] handles = {7, 7};

    assertThat(vector.insert(null, 1, MemorySegment.ofArray(handles), null, 0, null)).isEqualTo(1);

    assertThat(handles).containsExactly(0, 7);
    assertThat(vector.lookup(0))
        .isEqualTo(
            format == AddressFormat.SOCKADDR_IN
                ? new SocketAddress4(0, 0)
                : new SocketAddress6(0, 0, 0, 0, 0));
    assertThat(vector.size()).isEqualTo(1);
    vector.remove(0);
    Expect.unset(vector, 0);
    // One answer in all forms.
    FabricAddress any = Addresses.bad(format);
    List<@Nullable FabricAddress> list = Arrays.asList(Addresses.a(format, 1), null);
    Expect.address(vector, vector.insert(list).orThrow().handle(1), any);
    Expect.address(vector, vector.insert((@Nullable FabricAddress) null), any);
  }

  @Proves(partly = "AV-079")
  @EachProfile
  void nullInListIsRefusedElsewhere(Setup setup, ConformanceEnvironment environment) {
    if (setup.isAppendOnly()) {
      return; // the candidate: see above
    }
    AddressVector vector = environment.vector(setup);
    List<@Nullable FabricAddress> list = Arrays.asList(a(1), null);
    Expect.invalid(() -> vector.insert(list));
    assertThat(vector.size()).isZero();
  }

  @Proves(partly = "AV-079")
  @EachProfile
  void aWrittenAnyAddressIsBadInAllProfiles(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);

    for (InsertForm form : InsertForm.values()) {
      Inserted inserted = form.insert(vector, List.of(bad()));
      assertThat(inserted.result()).isZero();
      assertThat(inserted.fi(0)).isEqualTo(Handles.NOT_AVAILABLE);
    }
    assertThat(vector.size()).isZero();
  }

  @Proves(partly = "AV-207")
  @EachProfile
  void aRefusedCallLeavesItsArraysAlone(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    MemorySegment two = pack(a(1), a(2));
    long[] fi = {77, 78};
    int[] st = {5, 6};
    MemorySegment handles = MemorySegment.ofArray(fi);
    MemorySegment errors = MemorySegment.ofArray(st);

    Expect.failure(Errno.EBADFLAGS, () -> vector.insert(two, 2, handles, null, 1L << 3, null));
    Expect.invalid(() -> vector.insert(two, 3, handles, null, 0, null));
    Expect.invalid(() -> vector.insert(two, 2, handles, errors, 0, null));
    Expect.invalid(() -> vector.insert(two, -1, handles, null, 0, null));
    Expect.invalid(() -> vector.insertService("10.1.1.1", null, handles, null, 0, null));

    assertThat(fi).containsExactly(77, 78);
    assertThat(st).containsExactly(5, 6);
    assertThat(vector.size()).isZero();
  }

  @Proves({"AV-077", "AV-202", "AV-207"})
  @Variants(
      formats = {AddressFormat.SOCKADDR_IN, AddressFormat.SOCKADDR_IN6, AddressFormat.STR},
      withStatuses = true)
  void aWrongFamilyFailsAlone(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    Inserted inserted = variant.insert(vector, variant.a(1), variant.foreign(), variant.a(2));

    assertThat(inserted.result()).isEqualTo(2);
    assertThat(inserted.st()).containsExactly(0, EINVAL, 0);
    assertThat(inserted.fi(1)).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(vector.lookup(inserted.fi(0))).isEqualTo(variant.a(1));
    assertThat(vector.lookup(inserted.fi(2))).isEqualTo(variant.a(2));
    assertThat(variant.insert(vector, variant.a(3)).result()).as("not spoilt").isEqualTo(1);
  }

  @Proves("AV-077")
  @Variants(formats = AddressFormat.SOCKADDR)
  void socketAddressVectorsTakeBothFamilies(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    Inserted mixed = variant.insert(vector, variant.list(1, 7));

    assertThat(mixed.result()).isEqualTo(7);
    for (int i = 0; i < 7; i++) {
      assertThat(vector.lookup(mixed.fi(i))).isEqualTo(variant.a(i + 1));
      assertThat(vector.lookup(mixed.fi(i)).format())
          .isEqualTo(i % 3 == 2 ? AddressFormat.SOCKADDR_IN6 : AddressFormat.SOCKADDR_IN);
    }
  }

  @Proves("AV-080")
  @EachProfile
  void mapNeedsTheHandleArrayBelow2(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, VectorOptions.map());
    MemorySegment one = pack(a(1));
    if (setup.hasOpaqueMapHandles()) {
      Expect.invalid(() -> vector.insert(one, 1, null, null, 0, null));
      Expect.invalid(() -> vector.insertService("10.1.1.1", "5000", null, null, 0, null));
      Expect.invalid(() -> vector.insertSymmetric("10.1.1.1", 1, "5000", 1, null, null, 0, null));
      assertThat(vector.size()).isZero();
    } else {
      assertThat(vector.insert(one, 1, null, null, 0, null)).isEqualTo(1);
      vector.remove(0);
    }
    long[] handles = new long[1];

    assertThat(vector.insert(one, 1, MemorySegment.ofArray(handles), null, 0, null)).isEqualTo(1);

    assertThat(vector.lookup(handles[0])).isEqualTo(a(1));
  }

  @Proves("AV-083")
  @Variants(types = VectorType.TABLE)
  void theLowestUnusedIndexIsTaken(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    variant.insert(vector, variant.list(1, 5));

    vector.remove(new long[] {3, 1});
    long[] handles = variant.insert(vector, variant.list(11, 13)).fi();

    if (variant.setup().isAppendOnly()) {
      assertThat(handles).containsExactly(5, 6, 7);
      Expect.unset(vector, 1);
    } else {
      assertThat(handles).containsExactly(1, 3, 5);
    }
  }

  @Proves("AV-083")
  @Test
  void holesAreFilledInOrderHoweverTheyCameAbout(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    int count = 5000;
    vector.insertSymmetric("10.1.0.0", count, "5000", 1).orThrow();
    for (int index : new int[] {4096, 63, 64, 1023, 4999, 0, 127, 2048, 1024}) {
      vector.remove(index);
    }

    long[] handles = vector.insertSymmetric("10.9.0.0", 10, "5000", 1).handles();

    assertThat(handles).containsExactly(0, 63, 64, 127, 1023, 1024, 2048, 4096, 4999, 5000);
  }

  @Proves({"AV-084", "AV-085"})
  @Variants(types = VectorType.TABLE)
  void positionsCountFromZero(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector =
        variant.open(environment, VectorOptions.defaults().withReceiveContextBits(4).withCount(7));

    assertThat(variant.insert(vector, variant.list(1, 3)).fi()).containsExactly(0L, 1L, 2L);
    assertThat(vector.lookup(2L)).isEqualTo(variant.a(3));
  }

  @Proves("AV-087")
  @EachProfile
  void tableNeedsNoHandleArray(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    MemorySegment two = pack(a(1), a(2));

    assertThat(vector.insert(two, 2, null, null, 0, null)).isEqualTo(2);
    assertThat(vector.insertService("10.1.1.3", "5000", null, null, 0, null)).isEqualTo(1);
    assertThat(vector.insertSymmetric("10.1.1.4", 2, "5000", 1, null, null, 0, null)).isEqualTo(2);

    Expect.entries(vector, list(1, 5));
  }

  @Proves("AV-088")
  @Variants
  void eachElementGetsItsOwnHandle(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    Inserted inserted =
        variant.insert(vector, variant.a(1), variant.bad(), variant.a(2), variant.bad());

    assertThat(inserted.result()).isEqualTo(2);
    assertThat(vector.lookup(inserted.fi(0))).isEqualTo(variant.a(1));
    assertThat(inserted.fi(1)).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(vector.lookup(inserted.fi(2))).isEqualTo(variant.a(2));
    assertThat(inserted.fi(3)).isEqualTo(Handles.NOT_AVAILABLE);
  }

  @Proves({"AV-089", "AV-201"})
  @EachProfile
  void failuresThatNobodyAsksForLeaveNoHole(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    MemorySegment packed = pack(a(1), bad(), a(2));

    assertThat(vector.insert(packed, 3, null, null, 0, null)).isEqualTo(2);

    assertThat(vector.lookup(0)).isEqualTo(a(1));
    assertThat(vector.lookup(1)).isEqualTo(a(2));
    Expect.unset(vector, 2);
  }

  @Proves({"AV-077", "AV-101", "AV-102"})
  @Variants(
      formats = {AddressFormat.SOCKADDR_IN, AddressFormat.STR},
      withStatuses = true)
  void everyBadAddressSaysWhy(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    Inserted inserted =
        variant.insert(
            vector,
            variant.bad(),
            Addresses.ipv4(variant.format(), 0x0A010101, 0),
            Addresses.ipv4(variant.format(), 0, 5000),
            variant.a(1));

    assertThat(inserted.st()).containsExactly(EADDRNOTAVAIL, EADDRNOTAVAIL, EADDRNOTAVAIL, 0);
    assertThat(inserted.result()).isEqualTo(1);
  }
}
