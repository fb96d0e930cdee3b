// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

/**
 * A process that has a named vector with keys. It does what each line says, and answers with a
 * line: a number, {@code true} or {@code false}, or the errno that came of it.
 */
final class NamedKeyUser {
  /** How many keys the vector may have. */
  static final int MOST = 4;

  private static final int KEYS = 6;

  private NamedKeyUser() {}

  public static void main(String[] args) throws IOException {
    try (CoreAddressVector vector = open(args[0]);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      PrintStream out = new PrintStream(System.out, true, StandardCharsets.US_ASCII);
      out.println("ready");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.println(answer(vector, line.split(" ", -1)));
      }
    }
  }

  static CoreAddressVector open(String name) {
    return VectorFixture.open(info(), VectorOptions.table().withName(name));
  }

  static TestInfo info() {
    return TestInfo.defaults()
        .format(AddressFormat.SOCKADDR)
        .capabilities(Capability.SHARED_AV)
        .keysInVector(MOST);
  }

  /** One of the keys that processes have. */
  static byte[] key(int which) {
    byte[] key = new byte[AddressVector.AUTH_KEY_SIZE];
    new Random(which + 1000L).nextBytes(key);
    return key;
  }

  private static String answer(CoreAddressVector vector, String[] words) {
    int[] numbers = Arrays.stream(words).skip(1).mapToInt(Integer::parseInt).toArray();
    try {
      return switch (words[0]) {
        case "key" -> number(vector.insertAuthKey(key(numbers[0])));
        case "remove" -> {
          vector.removeAuthKey(Handles.AUTH_KEY_BIT | numbers[0]);
          yield "removed";
        }
        case "insert" -> String.valueOf(insert(vector, numbers[0], numbers[1]));
        case "find" ->
            String.valueOf(
                vector.find(VectorFixture.a(numbers[0]), Handles.AUTH_KEY_BIT | numbers[1]));
        case "lookup" ->
            String.valueOf(vector.lookup(numbers[0]).equals(VectorFixture.a(numbers[1])));
        case "has" ->
            String.valueOf(Arrays.equals(vector.lookupAuthKey(numbers[0]), key(numbers[1])));
        case "churn" -> churn(vector, numbers[0]);
        default -> "what?";
      };
    } catch (FabricException refused) {
      return String.valueOf(refused.errno());
    }
  }

  private static String number(long key) {
    return String.valueOf(key & ~Handles.AUTH_KEY_BIT);
  }

  private static long insert(CoreAddressVector vector, int address, int number) {
    return vector
        .insert(
            List.of(VectorFixture.a(address)),
            InsertOptions.none().withAuthKeys(Handles.AUTH_KEY_BIT | number))
        .orThrow()
        .handle(0);
  }

  /** Takes keys, puts addresses of its own under them, and takes both away, until it is killed. */
  private static String churn(CoreAddressVector vector, int process) {
    SplittableRandom random = new SplittableRandom(process);
    List<Integer> keys = new ArrayList<>();
    List<Long> entries = new ArrayList<>();
    int next = process << 16;
    while (true) {
      try {
        switch (random.nextInt(5)) {
          case 0 -> keys.add((int) (vector.insertAuthKey(key(random.nextInt(KEYS))) & 0xFF));
          case 1 -> {
            if (!keys.isEmpty()) {
              int which = random.nextInt(keys.size());
              vector.removeAuthKey(Handles.AUTH_KEY_BIT | keys.get(which));
              keys.remove(which);
            }
          }
          case 2, 3 -> {
            if (!keys.isEmpty()) {
              entries.add(insert(vector, next++, keys.get(random.nextInt(keys.size()))));
            }
          }
          default -> {
            if (!entries.isEmpty()) {
              vector.remove(entries.remove(random.nextInt(entries.size())));
            }
          }
        }
      } catch (FabricException refused) {
        if (refused.errno() != Errno.EBUSY && refused.errno() != Errno.ENOSPC) {
          return "failed: " + refused;
        }
        while (!entries.isEmpty() && random.nextInt(4) == 0) {
          vector.remove(entries.removeLast());
        }
      }
    }
  }
}
