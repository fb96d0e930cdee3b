// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.MemoryUse;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.AsyncVector;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** NOTE: duplicates, insertion after removal, early and late work. */
@ConformanceTest
class NoteTests extends AddressTests {
  private static VectorOptions policy(DuplicatePolicy policy) {
    return VectorOptions.table().withDuplicates(policy);
  }

  @Proves("AV-178")
  @Variants
  void theVersionDecidesAboutDuplicates(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    boolean shares = variant.setup().isAtLeast(ApiVersion.V1_15);
    assertThat(vector.options().duplicates())
        .isEqualTo(shares ? DuplicatePolicy.SHARE : DuplicatePolicy.NEW_INDEX);

    Inserted inserted = variant.insert(vector, variant.a(1), variant.a(2), variant.a(1));

    assertThat(inserted.result()).isEqualTo(3);
    assertThat(vector.lookup(inserted.fi(2))).isEqualTo(variant.a(1));
    if (shares) {
      assertThat(inserted.fi(2)).isEqualTo(inserted.fi(0));
      assertThat(vector.size()).isEqualTo(2);
    } else {
      assertThat(inserted.fi()).doesNotHaveDuplicates();
      assertThat(vector.size()).isEqualTo(3);
    }
  }

  @Proves("AV-178")
  @Variants
  void sharedEntriesTakeAsManyRemovals(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector =
        variant.open(environment, VectorOptions.defaults().withDuplicates(DuplicatePolicy.SHARE));
    long handle = variant.insert(vector, variant.a(1)).fi(0);
    variant.insert(vector, variant.a(2));
    variant.insert(vector, variant.a(1), variant.a(1));
    assertThat(vector.size()).isEqualTo(2);

    vector.remove(handle);
    assertThat(vector.lookup(handle)).isEqualTo(variant.a(1));
    vector.remove(new long[] {handle, handle});

    Expect.unset(vector, handle);
    Expect.invalid(() -> vector.remove(handle));
    assertThat(vector.find(variant.a(1))).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(vector.find(variant.a(2))).isNotEqualTo(Handles.NOT_AVAILABLE);
    assertThat(vector.size()).isEqualTo(1);
  }

  @Proves("AV-178")
  @Variants
  void furtherEntriesStandByThemselves(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector =
        variant.open(
            environment, VectorOptions.defaults().withDuplicates(DuplicatePolicy.NEW_INDEX));
    long[] fi = variant.insert(vector, variant.a(1), variant.a(2), variant.a(1)).fi();
    assertThat(vector.find(variant.a(1))).isEqualTo(fi[0]);

    vector.remove(fi[0]);

    assertThat(vector.lookup(fi[2])).isEqualTo(variant.a(1));
    assertThat(vector.find(variant.a(1))).as("the lowest that is left").isEqualTo(fi[2]);
    Expect.unset(vector, fi[0]);
    vector.remove(fi[2]);
    assertThat(vector.find(variant.a(1))).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(vector.lookup(fi[1])).isEqualTo(variant.a(2));
  }

  @Proves("AV-178")
  @Variants(withStatuses = true)
  void duplicatesMayBeRejected(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector =
        variant.open(environment, VectorOptions.defaults().withDuplicates(DuplicatePolicy.REJECT));

    Inserted inserted =
        variant.insert(vector, variant.a(1), variant.a(1), variant.a(2), variant.a(1));

    assertThat(inserted.result()).isEqualTo(2);
    assertThat(inserted.st())
        .containsExactly(0, Errno.EALREADY.number(), 0, Errno.EALREADY.number());
    assertThat(inserted.fi(1)).isEqualTo(Handles.NOT_AVAILABLE);
    vector.remove(inserted.fi(0));
    assertThat(variant.insert(vector, variant.a(1)).result()).isEqualTo(1);
  }

  @Proves("AV-178")
  @ParameterizedTest
  @EnumSource(
      value = DuplicatePolicy.class,
      names = {"SHARE", "NEW_INDEX", "REJECT"})
  void rangesAndServicesKnowDuplicatesToo(
      DuplicatePolicy policy, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT, policy(policy));
    vector.insert(List.of(a(1), a(2)));

    var range = vector.insertSymmetric("10.1.1.2", 2, "5000", 1);
    var service = vector.insertService("10.1.1.1", "5000", InsertOptions.none());

    switch (policy) {
      case SHARE -> {
        assertThat(range.handles()).containsExactly(1, 2);
        assertThat(service.handles()).containsExactly(0);
      }
      case NEW_INDEX -> {
        assertThat(range.handles()).containsExactly(2, 3);
        assertThat(service.handles()).containsExactly(4);
        assertThat(vector.find(a(2))).isEqualTo(1);
      }
      default -> {
        assertThat(range.handles()).containsExactly(-1, 2);
        assertThat(service.handles()).containsExactly(-1);
        assertThat(service.error(0)).isEqualTo(Errno.EALREADY.number());
      }
    }
  }

  @Proves({"AV-178", "AV-086"})
  @ParameterizedTest
  @EnumSource(
      value = DuplicatePolicy.class,
      names = {"SHARE", "NEW_INDEX", "REJECT"})
  void asynchronousDuplicatesAreDecidedInCallOrder(
      DuplicatePolicy policy, ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(Setup.DEFAULT, policy(policy));
    AddressVector vector = async.vector();

    Inserted inserted = InsertForm.PACKED.insert(vector, List.of(a(1), a(1), a(2)));
    List<Event> events = async.events().untilCompletion();

    switch (policy) {
      case SHARE -> {
        assertThat(inserted.fi()).containsExactly(0, 0, 2);
        assertThat(events.getLast().data()).isEqualTo(3);
      }
      case NEW_INDEX -> assertThat(inserted.fi()).containsExactly(0, 1, 2);
      default -> {
        assertThat(inserted.fi()).containsExactly(0, -1, 2);
        assertThat(events).hasSize(2);
      }
    }
    Inserted next = InsertForm.PACKED.insert(vector, List.of(a(3)));
    async.events().untilCompletion();
    assertThat(next.fi(0))
        .as("the index reserved for a duplicate is unused again")
        .isEqualTo(policy == DuplicatePolicy.NEW_INDEX ? 3 : 1);
  }

  @Proves("AV-178")
  @ParameterizedTest
  @EnumSource(names = {"SOCKADDR", "SOCKADDR_IN6", "STR"})
  void sameAddressesAreRecognised(AddressFormat format, ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(Setup.DEFAULT.format(format), policy(DuplicatePolicy.SHARE));
    FabricAddress first = local(format, 5000, 0, 1);
    long plain = vector.insert(first);

    assertThat(vector.insert(local(format, 5000, 9, 1)))
        .as("neither flow label nor spelling says who it is")
        .isEqualTo(plain);
    assertThat(vector.lookup(plain)).as("the first insertion is kept").isEqualTo(first);
    assertThat(vector.insert(local(format, 5001, 0, 1))).isNotEqualTo(plain);
    if (format != AddressFormat.STR) { // which has no scopes
      assertThat(vector.insert(local(format, 5000, 0, 2))).isNotEqualTo(plain);
    }
    if (format == AddressFormat.SOCKADDR) {
      long mapped = vector.insert(new SocketAddress6(0, 0xFFFF0A010101L, 5000, 0, 0));
      assertThat(vector.insert(a(1))).as("another family is another peer").isNotEqualTo(mapped);
    }
  }

  /** A link-local address; as text, one with a flow label is spelt differently. */
  private static FabricAddress local(AddressFormat format, int port, int flow, int scope) {
    FabricAddress local = new SocketAddress6(0xFE80000000000000L, 1, port, flow, scope);
    if (format != AddressFormat.STR) {
      return local;
    }
    String text = local.toText();
    return new TextAddress(flow == 0 ? text : text.toUpperCase(Locale.ROOT));
  }

  @Proves("AV-078")
  @Test
  void spellingsOfOneAddressAreOnePeer(ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(Setup.DEFAULT.format(AddressFormat.STR), policy(DuplicatePolicy.SHARE));
    TextAddress first = new TextAddress("FI_SOCKADDR_IN://10.1.1.1:5000?x=1");
    long handle = vector.insert(first);

    assertThat(vector.insert(new TextAddress("fi_sockaddr_in://10.1.1.1:5000"))).isEqualTo(handle);
    assertThat(vector.insert(new TextAddress("fi_sockaddr://10.1.1.1:5000"))).isEqualTo(handle);

    assertThat(vector.lookup(handle)).isEqualTo(first);
    assertThat(vector.find(new TextAddress("fi_sockaddr_ip://10.1.1.1:5000"))).isEqualTo(handle);
    assertThat(vector.size()).isEqualTo(1);
  }

  @Proves(partly = "AV-180")
  @Variants
  void aRemovedPeerMayComeBack(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    variant.insert(vector, variant.list(2, 5));
    MemoryUse before = null;
    for (int round = 0; round < 1000; round++) {
      long handle = variant.insert(vector, variant.a(1)).fi(0);
      assertThat(vector.lookup(handle)).isEqualTo(variant.a(1));
      assertThat(vector.find(variant.a(1))).isEqualTo(handle);
      vector.remove(handle);
      if (round == 10) {
        before = vector.statistics().memory();
      }
    }
    assertThat(vector.size()).isEqualTo(4);
    if (!variant.setup().isAppendOnly()) {
      assertThat(vector.statistics().memory()).as("nothing leaks").isEqualTo(before);
    }
  }

  @Proves("AV-183")
  @Variants
  void aHandleIsInvalidAtOnce(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    long[] fi = variant.insert(vector, variant.list(1, 200)).fi();
    MemorySegment buffer = MemorySegment.ofArray(new byte[64]);
    for (int i = 0; i < fi.length; i++) {
      long handle = fi[i];
      vector.remove(handle);
      Expect.unset(vector, handle);
      Expect.invalid(() -> vector.lookup(handle, buffer));
      assertThat(vector.find(variant.a(i + 1))).isEqualTo(Handles.NOT_AVAILABLE);
    }
  }
}
