// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.open;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.Provider;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.MacSpi;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.av.VectorKeys.HeldAuthKeys;
import org.ofi4j.core.testing.TestInfo;

/** What is computed with authorization keys, whichever security provider does it. */
@Isolated("changes the security providers of the JVM")
class AuthKeyProofsTest {
  private static final String ALGORITHM = "HmacSHA256";
  private static final byte[] MESSAGE = {1, 2, 3, 4, 5};

  private final CoreAddressVector vector =
      open(TestInfo.defaults().keysInVector(4), VectorOptions.table());

  private static byte[] key(int value) {
    byte[] key = new byte[AddressVector.AUTH_KEY_SIZE];
    Arrays.fill(key, (byte) value);
    return key;
  }

  private static byte[] expected(byte[] key) throws GeneralSecurityException {
    Mac mac = Mac.getInstance(ALGORITHM);
    mac.init(new SecretKeySpec(key, ALGORITHM));
    return mac.doFinal(MESSAGE);
  }

  private static byte[] code(HeldAuthKeys held, int number) {
    return held.hmac(number, ByteBuffer.wrap(MESSAGE, 0, 2), ByteBuffer.wrap(MESSAGE, 2, 3));
  }

  @Test
  @DisplayName("Codes are those of the key, over all pieces in their order")
  void codes() throws GeneralSecurityException {
    vector.insertAuthKey(key(1));
    vector.insertAuthKey(key(2));
    try (HeldAuthKeys held = vector.keys().holdAll(vector)) {
      assertThat(code(held, 0)).isEqualTo(expected(key(1)));
      assertThat(code(held, 1)).isEqualTo(expected(key(2)));
    }
  }

  @Test
  @DisplayName("Who has let a key go computes with no other that has its number since")
  void letGo() {
    long first = vector.insertAuthKey(key(1));
    HeldAuthKeys held = vector.keys().holdAll(vector);
    held.close();
    vector.removeAuthKey(first);
    assertThat(vector.insertAuthKey(key(2))).isEqualTo(first);
    fails(Errno.EINVAL, "let all of them go", () -> code(held, 0));
  }

  /** Says what it has computed with, and looks at a key as late as it can. */
  private static final class Late extends MacSpi {
    static final List<byte[]> KEYS = new ArrayList<>();

    private final Mac inner;
    private byte[] key = {};

    Late() throws GeneralSecurityException {
      inner = Mac.getInstance(ALGORITHM, "SunJCE");
    }

    @Override
    protected int engineGetMacLength() {
      return inner.getMacLength();
    }

    @Override
    protected void engineInit(Key given, AlgorithmParameterSpec parameters) {
      key = given.getEncoded();
      KEYS.add(key);
      bytes = new byte[0];
    }

    private byte[] bytes = {};

    @Override
    protected void engineUpdate(byte input) {
      engineUpdate(new byte[] {input}, 0, 1);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
      int end = bytes.length;
      bytes = Arrays.copyOf(bytes, end + length);
      System.arraycopy(input, offset, bytes, end, length);
    }

    @Override
    protected byte[] engineDoFinal() {
      try {
        inner.init(new SecretKeySpec(key, ALGORITHM));
      } catch (InvalidKeyException impossible) {
        throw new IllegalStateException(impossible);
      }
      return inner.doFinal(bytes);
    }

    @Override
    protected void engineReset() {
      bytes = new byte[0];
    }
  }

  /** Takes no key, but clears what it was given, as the JDK's own does. */
  private static final class Refusing extends MacSpi {
    @Override
    protected int engineGetMacLength() {
      return 32;
    }

    @Override
    protected void engineInit(Key given, AlgorithmParameterSpec parameters)
        throws InvalidKeyException {
      Arrays.fill(given.getEncoded(), (byte) 0);
      throw new InvalidKeyException("not in this device");
    }

    @Override
    protected void engineUpdate(byte input) {}

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {}

    @Override
    protected byte[] engineDoFinal() {
      return new byte[32];
    }

    @Override
    protected void engineReset() {}
  }

  /** Comes before the JDK's own. */
  private static final class First extends Provider implements AutoCloseable {
    private static final long serialVersionUID = 1L;

    First(Class<? extends MacSpi> spi) {
      super("Before", "1", "of a test");
      putService(
          new Service(this, "Mac", ALGORITHM, spi.getName(), null, null) {
            @Override
            public Object newInstance(Object parameter) {
              try {
                return spi == Late.class ? new Late() : new Refusing();
              } catch (GeneralSecurityException missing) {
                throw new IllegalStateException(missing);
              }
            }
          });
      Security.insertProviderAt(this, 1);
    }

    @Override
    public void close() {
      Security.removeProvider(getName());
    }
  }

  @Test
  @DisplayName("A provider that refuses the key leaves it whole for the next one")
  void refused() throws GeneralSecurityException {
    vector.insertAuthKey(key(1));
    byte[] expected = expected(key(1));
    try (HeldAuthKeys held = vector.keys().holdAll(vector);
        First first = new First(Refusing.class)) {
      assertThat(Security.getProviders()[0]).isSameAs(first);
      assertThat(code(held, 0)).isEqualTo(expected);
    }
  }

  @Test
  @DisplayName("The key is there until the code is made, and no copy of it after that")
  void nothingIsLeft() throws GeneralSecurityException {
    vector.insertAuthKey(key(1));
    byte[] expected = expected(key(1));
    Late.KEYS.clear();
    try (HeldAuthKeys held = vector.keys().holdAll(vector);
        First first = new First(Late.class)) {
      assertThat(Security.getProviders()[0]).isSameAs(first);
      assertThat(code(held, 0)).isEqualTo(expected);
    }
    // The second one is what overwrites whatever was derived from the first.
    assertThat(Late.KEYS).hasSize(2).allSatisfy(key -> assertThat(key).containsOnly(0));
    assertThat(Late.KEYS.getLast()).hasSize(1);
  }
}
