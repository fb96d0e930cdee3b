// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricInfo.DomainAttributes;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.RemoveFlag;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.historic.HistoricVector;

/** IAK and LAK: authorization keys in the vector, as far as the vector alone decides. */
@ConformanceTest
class AuthKeyTests extends AddressTests {
  private static final long AUTH_KEY = InsertFlag.AUTH_KEY.mask();
  private static final long USER_ID = InsertFlag.USER_ID.mask();

  /** A domain with keys in the vector, and the type of the vector. */
  record Variant(ApiVersion version, VectorType type) {
    Hints hints() {
      return Setup.of(version).hintsForKeys();
    }

    VectorOptions options() {
      return VectorOptions.defaults().withType(type);
    }

    AddressVector open(ConformanceEnvironment environment) {
      return open(environment, hints(), 0);
    }

    AddressVector open(ConformanceEnvironment environment, Hints hints, long flags) {
      return environment.vector(environment.domain(hints), options().withFlags(flags));
    }

    /** With user ids, which the vector reports and nothing else. */
    AddressVector withIds(ConformanceEnvironment environment) {
      Hints hints =
          hints().withMoreCapabilities(Capability.MSG, Capability.SOURCE, Capability.AV_USER_ID);
      return open(environment, hints, VectorFlag.USER_ID.mask());
    }
  }

  static Stream<Variant> setups() {
    return Stream.of(
        new Variant(ApiVersion.V2_1, VectorType.TABLE),
        new Variant(ApiVersion.V2_1, VectorType.MAP),
        new Variant(ApiVersion.V1_20, VectorType.TABLE),
        new Variant(ApiVersion.V1_20, VectorType.MAP));
  }

  static byte[] key(int seed) {
    byte[] key = new byte[AddressVector.AUTH_KEY_SIZE];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (seed * 37 + i * 11 + 1);
    }
    return key;
  }

  private long under(AddressVector vector, int i, long key) {
    return vector.insert(List.of(a(i)), InsertOptions.none().withAuthKeys(key)).orThrow().handle(0);
  }

  private static MemorySegment one(long value) {
    return MemorySegment.ofArray(new long[] {value});
  }

  // ---- keys ----

  @Proves({"AV-155", "AV-171", "AV-173", "AV-184"})
  @EachSetup
  void keysComeBackByTheirHandles(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    long one = vector.insertAuthKey(key(1));
    long two = vector.insertAuthKey(key(2));
    assertThat(two).isNotEqualTo(one);
    assertThat(vector.lookupAuthKey(one)).isEqualTo(key(1));
    assertThat(vector.lookupAuthKey(two)).isEqualTo(key(2));
    assertThat(vector.insertAuthKey(key(1))).as("the same key").isEqualTo(one);
    Expect.invalid(() -> vector.lookupAuthKey(Handles.NOT_AVAILABLE));
    vector.removeAuthKey(two);
    Expect.invalid(() -> vector.lookupAuthKey(two));
    assertThat(vector.lookupAuthKey(one)).isEqualTo(key(1));
  }

  @Proves({"AV-001", "AV-155", "AV-156"})
  @Test
  void keysNeedVersionAndDomain(ConformanceEnvironment environment) {
    AddressVector old = environment.vector(Setup.of(new ApiVersion(1, 19)));
    Expect.failure(Errno.ENOSYS, () -> old.insertAuthKey(key(1)));
    AddressVector plain = environment.vector(Setup.of(ApiVersion.V1_20));
    Expect.invalid(() -> plain.insertAuthKey(key(1)));
    AddressVector latest = environment.vector(Setup.DEFAULT);
    Expect.invalid(() -> latest.insertAuthKey(key(1)));
  }

  @Proves({"AV-160", "AV-161", "AV-170"})
  @EachSetup
  void keysAreBytesOfOneSize(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    int size = AddressVector.AUTH_KEY_SIZE;
    for (int wrong : new int[] {0, 1, size - 1, size + 1, 2 * size}) {
      Expect.invalid(() -> vector.insertAuthKey(new byte[wrong]));
    }
    for (int bit = 0; bit < Long.SIZE; bit++) {
      long flags = 1L << bit;
      Expect.invalid(() -> HistoricVector.of(vector).insertAuthKey(key(1), flags));
    }
    Expect.invalid(() -> vector.insertAuthKey(Expect.<byte[]>missing()));
    byte[] zeros = new byte[size];
    assertThat(vector.lookupAuthKey(vector.insertAuthKey(zeros))).isEqualTo(zeros);
  }

  @Proves("AV-174")
  @EachSetup
  void shortBuffersGetTheBeginning(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    long key = vector.insertAuthKey(key(1));
    long entry = under(vector, 1, key);
    for (long handle : new long[] {key, entry}) {
      Expect.fillsBuffers(key(1), buffer -> vector.lookupAuthKey(handle, buffer));
    }
    Expect.invalid(() -> vector.lookupAuthKey(key, Expect.missing()));
  }

  // ---- addresses under keys ----

  @Proves({"AV-091", "AV-094", "AV-107", "AV-167", "AV-172"})
  @EachSetup
  void everyInsertCallTakesKeys(Variant variant, ConformanceEnvironment environment) {
    for (InsertCall call : InsertCall.values()) {
      AddressVector vector = variant.open(environment);
      long k1 = vector.insertAuthKey(key(1));
      long k2 = vector.insertAuthKey(key(2));
      long h1 = call.insert(vector, AUTH_KEY, new long[] {k1}).fi(0);
      long h2 = call.insert(vector, AUTH_KEY, new long[] {k2}).fi(0);
      assertThat(Stream.of(h1, h2, k1, k2).distinct()).as("handles by %s", call).hasSize(4);
      Expect.address(vector, h1, a(1));
      Expect.address(vector, h2, a(1));
      assertThat(vector.lookupAuthKey(h1)).isEqualTo(key(1));
      assertThat(vector.lookupAuthKey(h2)).isEqualTo(key(2));
      assertThat(vector.find(a(1), k1)).isEqualTo(h1);
      assertThat(vector.find(a(1), k2)).isEqualTo(h2);
    }
  }

  @Proves({"AV-091", "AV-207"})
  @EachSetup
  void whatIsNoKeyFailsAlone(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    long key = vector.insertAuthKey(key(1));
    long gone = vector.insertAuthKey(key(2));
    long entry = vector.insert(a(9));
    vector.removeAuthKey(gone);
    List<FabricAddress> three = List.of(a(1), a(2), a(3));
    MemorySegment packed = pack(three);
    for (long wrong : new long[] {entry, gone, Handles.NOT_AVAILABLE, key | 1L << 62}) {
      long[] fi = {key, wrong, key};
      int[] st = {7, 7, 7};
      long flags = AUTH_KEY | InsertFlag.SYNC_ERR.mask();
      assertThat(
              vector.insert(
                  packed, 3, MemorySegment.ofArray(fi), MemorySegment.ofArray(st), flags, null))
          .isEqualTo(2);
      assertThat(st).containsExactly(0, Errno.EINVAL.number(), 0);
      assertThat(fi[1]).isEqualTo(Handles.NOT_AVAILABLE);
      Expect.address(vector, fi[0], a(1));
      Expect.address(vector, fi[2], a(3));
      vector.remove(new long[] {fi[0], fi[2]});

      Insertion values = vector.insert(three, InsertOptions.none().withAuthKeys(wrong, key, wrong));
      assertThat(values.inserted()).isEqualTo(1);
      assertThat(values.handle(0)).isEqualTo(Handles.NOT_AVAILABLE);
      assertThat(values.handle(2)).isEqualTo(Handles.NOT_AVAILABLE);
      Expect.address(vector, values.handle(1), a(2));
      vector.remove(values.handle(1));
    }
    assertThat(vector.find(a(1), key)).isEqualTo(Handles.NOT_AVAILABLE);
  }

  @Proves("AV-029")
  @EachSetup
  void keysNeedTheArray(Variant variant, ConformanceEnvironment environment) {
    for (InsertCall call : InsertCall.values()) {
      AddressVector vector = variant.open(environment);
      vector.insertAuthKey(key(1));
      if (call.isPacked()) {
        Expect.invalid(() -> call.packed(vector, null, null, AUTH_KEY, null));
      } else {
        Expect.invalid(() -> call.insert(vector, AUTH_KEY, null));
      }
      assertThat(vector.find(a(1))).isEqualTo(Handles.NOT_AVAILABLE);
    }
  }

  @Proves("AV-184")
  @EachSetup
  void keysAndAddressesHaveHandlesOfTheirOwn(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    long[] keys = new long[4];
    long[] addresses = new long[4];
    for (int i = 0; i < 4; i++) {
      addresses[i] = vector.insert(a(i + 1));
      keys[i] = vector.insertAuthKey(key(i + 1));
    }
    assertThat(LongStream.concat(LongStream.of(keys), LongStream.of(addresses)).toArray())
        .doesNotHaveDuplicates()
        .doesNotContain(Handles.NOT_AVAILABLE, Handles.UNSPECIFIED);
    for (int i = 0; i < 4; i++) {
      long key = keys[i];
      long address = addresses[i];
      Expect.address(vector, address, a(i + 1));
      assertThat(vector.lookupAuthKey(key)).isEqualTo(key(i + 1));
      Expect.invalid(() -> vector.lookup(key));
      Expect.invalid(() -> vector.remove(key));
      Expect.invalid(() -> vector.removeAuthKey(address));
      Expect.failure(Errno.ENOKEY, () -> vector.lookupAuthKey(address));
      Expect.address(vector, address, a(i + 1));
      assertThat(vector.lookupAuthKey(key)).isEqualTo(key(i + 1));
    }
  }

  /** What held a key holds no handle if the address failed. */
  @Proves("AV-207")
  @EachSetup
  void aKeyDoesNotStayWhereTheHandleWouldBe(Variant variant, ConformanceEnvironment environment) {
    for (InsertForm form : List.of(InsertForm.PACKED, InsertForm.COLLECTION)) {
      AddressVector vector = variant.open(environment);
      long key = vector.insertAuthKey(key(1));
      Inserted inserted =
          form.insert(
              vector, List.of(a(1), bad(), a(2)), AUTH_KEY, new long[] {key, key, key}, null);
      assertThat(inserted.result()).isEqualTo(2);
      assertThat(inserted.fi(1)).isEqualTo(Handles.NOT_AVAILABLE);
      assertThat(vector.lookupAuthKey(inserted.fi(0))).isEqualTo(key(1));
      assertThat(vector.lookupAuthKey(inserted.fi(2))).isEqualTo(key(1));
    }
  }

  @Proves({"AV-092", "AV-093", "AV-171"})
  @EachSetup
  void withoutTheFlagThereIsNoKey(Variant variant, ConformanceEnvironment environment) {
    for (InsertCall call : InsertCall.values()) {
      AddressVector vector = variant.open(environment);
      long key = vector.insertAuthKey(key(1));
      long alone = call.insert(vector, 0, call.isPacked() ? new long[] {key} : null).fi(0);
      Expect.failure(Errno.ENOKEY, () -> vector.lookupAuthKey(alone));
      long under = under(vector, 1, key);
      assertThat(under).isNotEqualTo(alone);
      assertThat(vector.find(a(1))).isEqualTo(alone);
      vector.remove(under);
      Expect.invalid(() -> vector.lookupAuthKey(under));
      Expect.address(vector, alone, a(1));
    }
  }

  @Proves({"AV-052", "AV-105"})
  @EachSetup
  void idsDoNotComeWithAddressesHere(Variant variant, ConformanceEnvironment environment) {
    Hints hints =
        variant
            .hints()
            .withMoreCapabilities(Capability.MSG, Capability.SOURCE, Capability.AV_USER_ID);
    for (InsertCall call : InsertCall.values()) {
      AddressVector vector = variant.open(environment, hints, 0);
      long key = vector.insertAuthKey(key(1));
      Expect.invalid(() -> call.insert(vector, USER_ID, new long[] {7}));
      Expect.invalid(() -> call.insert(vector, USER_ID | AUTH_KEY, new long[] {key}));
      long entry = vector.insert(a(2));
      Expect.invalid(() -> vector.remove(one(entry), 1, USER_ID));
      Expect.address(vector, entry, a(2));
    }
  }

  // ---- two namespaces ----

  @Proves({"AV-163", "AV-164", "AV-134"})
  @EachSetup
  void aKeyIsOneOnlyWhereAFlagSaysSo(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    long key = vector.insertAuthKey(key(1));
    long entry = vector.insert(a(1));
    Expect.unset(vector, key);
    Expect.invalid(() -> vector.remove(key));
    assertThat(vector.lookupAuthKey(key)).as("still there").isEqualTo(key(1));
    Expect.invalid(() -> vector.remove(one(entry), 1, RemoveFlag.AUTH_KEY.mask()));
    Expect.address(vector, entry, a(1));
    vector.remove(one(key), 1, RemoveFlag.AUTH_KEY.mask());
    Expect.invalid(() -> vector.lookupAuthKey(key));
  }

  @Proves("AV-135")
  @EachSetup
  void removalKnowsOneFlag(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    long key = vector.insertAuthKey(key(1));
    long entry = vector.insert(a(1));
    for (int bit = 0; bit < Long.SIZE; bit++) {
      long flags = 1L << bit;
      if (flags != RemoveFlag.AUTH_KEY.mask()) {
        Expect.invalid(() -> vector.remove(one(entry), 1, flags));
        Expect.invalid(() -> vector.remove(one(key), 1, flags | RemoveFlag.AUTH_KEY.mask()));
      }
    }
    Expect.address(vector, entry, a(1));
    assertThat(vector.lookupAuthKey(key)).isEqualTo(key(1));
  }

  @Proves("AV-177")
  @EachSetup
  void idsAreSetForKeysWithTheFlag(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.withIds(environment);
    long key = vector.insertAuthKey(key(1));
    long entry = vector.insert(a(1));
    vector.setAuthKeyUserId(key, new UserId(7));
    vector.setUserId(entry, new UserId(7));
    Expect.invalid(() -> vector.setUserId(key, new UserId(7)));
    Expect.invalid(() -> vector.setAuthKeyUserId(entry, new UserId(7)));
    vector.removeAuthKey(key);
    Expect.invalid(() -> vector.setAuthKeyUserId(key, new UserId(7)));
  }

  // ---- info ----

  @Proves(value = "AV-156")
  @Test
  void thereAreAsManyKeysAsTheDomainSays(ConformanceEnvironment environment) {
    Domain domain =
        environment.domain(Setup.DEFAULT.hints().withAuthKeys(AuthKeyHints.inVector(2)));
    AddressVector vector = environment.vector(domain);
    int most = domain.info().domain().maxEndpointAuthKeys();
    assertThat(most).isGreaterThanOrEqualTo(2);
    long first = vector.insertAuthKey(key(0));
    for (int i = 1; i < most; i++) {
      vector.insertAuthKey(key(i));
    }
    Expect.failure(Errno.ENOSPC, () -> vector.insertAuthKey(key(most)));
    vector.removeAuthKey(first);
    assertThat(vector.lookupAuthKey(vector.insertAuthKey(key(most)))).isEqualTo(key(most));
  }

  @Proves({"AV-156", "AV-221"})
  @Test
  void attributesThatContradictEachOtherFindNothing(ConformanceEnvironment environment) {
    Hints keys = Setup.DEFAULT.hintsForKeys();
    FabricInfo info = environment.info(keys);
    assertThat(info.domain().authKeySize()).isEqualTo(DomainAttributes.KEYS_IN_VECTOR);
    assertThat(info.domain().maxEndpointAuthKeys()).isPositive();
    for (Hints wrong :
        List.of(
            keys.withAuthKeys(AuthKeyHints.inVector().withDomainKey(key(1))),
            keys.withAuthKeys(AuthKeyHints.inVector().withEndpointKey(key(1))),
            keys.withAuthKeys(AuthKeyHints.inVector(Integer.MAX_VALUE)),
            keys.withAuthKeys(AuthKeyHints.inVector(-1)))) {
      InfoAnswer answer = environment.answer(wrong);
      assertThat(answer.offers()).isEmpty();
      // Who cannot be asked here at all says so with another errno.
      assertThat(answer.refusals())
          .filteredOn(refusal -> refusal.errno() != Errno.ENOSYS)
          .isNotEmpty()
          .allSatisfy(refusal -> assertThat(refusal.errno()).isEqualTo(Errno.ENODATA));
    }
    Hints old = Setup.of(new ApiVersion(1, 19)).hintsForKeys();
    assertThat(environment.answer(old).offers()).isEmpty();
  }
}
