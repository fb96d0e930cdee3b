// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.ofi4j.core.share.SavedFile;

/**
 * Classes that two threads initialize at the same time: one that loads them early, and whoever
 * opens a vector. Which are loaded early is looked at where openings are measured.
 */
class FirstVectorTest {
  private final Map<String, ClassModel> classes = new HashMap<>();

  /** Which classes are initialized by what a method does, as far as the code tells. */
  private final Map<String, Set<String>> needs = new TreeMap<>();

  /**
   * If a class needs another one to be initialized, and that one needs the first, two threads that
   * begin with one each wait for each other for ever.
   */
  @Test
  void noTwoClassesNeedEachOtherToBeInitialized() throws Exception {
    read(FirstVector.class);
    for (String name : classes.keySet()) {
      needs.put(name, neededBy(name));
    }
    assertThat(needs.get(name(SavedFile.class))).contains("org/ofi4j/core/share/ControlBlock");
    Set<String> pairs = new TreeSet<>();
    for (String one : needs.keySet()) {
      for (String other : reached(one)) {
        if (!one.equals(other) && reached(other).contains(one)) {
          pairs.add(one + " and " + other);
        }
      }
    }
    assertThat(pairs).isEmpty();
  }

  private static String name(Class<?> type) {
    return type.getName().replace('.', '/');
  }

  private void read(Class<?> any) throws Exception {
    Path root = Path.of(any.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Path> files;
    try (Stream<Path> all = Files.walk(root)) {
      files = all.filter(file -> file.toString().endsWith(".class")).toList();
    }
    for (Path file : files) {
      ClassModel model = parsed(file);
      classes.put(model.thisClass().asInternalName(), model);
    }
    assertThat(classes).containsKey(name(any));
  }

  private static ClassModel parsed(Path file) throws IOException {
    return ClassFile.of().parse(Files.readAllBytes(file));
  }

  private Set<String> reached(String from) {
    Set<String> reached = new HashSet<>();
    reach(from, reached);
    return reached;
  }

  private void reach(String from, Set<String> reached) {
    for (String next : needs.getOrDefault(from, Set.of())) {
      if (reached.add(next)) {
        reach(next, reached);
      }
    }
  }

  private Set<String> neededBy(String name) {
    Set<String> needed = new HashSet<>();
    ClassModel model = classes.get(name);
    model.superclass().ifPresent(parent -> needed.add(parent.asInternalName()));
    follow(name, "<clinit>", "()V", needed, new HashSet<>());
    needed.retainAll(classes.keySet());
    needed.remove(name);
    return needed;
  }

  private void follow(
      String owner, String method, String type, Set<String> needed, Set<String> followed) {
    ClassModel model = classes.get(owner);
    if (model == null || !followed.add(owner + "." + method + type)) {
      return;
    }
    for (MethodModel each : model.methods()) {
      if (each.methodName().equalsString(method) && each.methodType().equalsString(type)) {
        each.code()
            .ifPresent(code -> {
              for (CodeElement element : code) {
                follow(element, needed, followed);
              }
            });
      }
    }
  }

  private void follow(CodeElement element, Set<String> needed, Set<String> followed) {
    switch (element) {
      case InvokeInstruction call -> {
        needed.add(call.owner().asInternalName());
        follow(
            call.owner().asInternalName(),
            call.name().stringValue(),
            call.type().stringValue(),
            needed,
            followed);
      }
      case FieldInstruction field -> needed.add(field.owner().asInternalName());
      case NewObjectInstruction made -> needed.add(made.className().asInternalName());
      default -> {}
    }
  }
}
