// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * Loads the engine with calls of {@link Steps#check} before and {@link Steps#step} behind each
 * store to a segment or array, and each change of a file, or around calls that are named. So the
 * engine itself knows nothing of being tested.
 */
final class SteppingLoader extends ClassLoader {
  private static final ClassDesc STEPS = ClassDesc.of(Steps.class.getName());
  private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);

  /** What changes something, by class. */
  private static final Set<String> STORES =
      Set.of(
          "java/lang/foreign/MemorySegment.set",
          "java/lang/foreign/MemorySegment.copy",
          "java/lang/foreign/MemorySegment.fill",
          "java/lang/invoke/VarHandle.compareAndSet",
          "java/lang/invoke/VarHandle.set",
          "java/lang/invoke/VarHandle.setOpaque",
          "java/lang/invoke/VarHandle.setRelease",
          "java/lang/invoke/VarHandle.setVolatile",
          "java/nio/channels/FileChannel.truncate",
          "java/nio/channels/FileChannel.write",
          "java/nio/file/Files.createFile",
          "java/nio/file/Files.deleteIfExists",
          "java/io/RandomAccessFile.setLength",
          "java/io/RandomAccessFile.write");

  /** The calls that are steps here. */
  private final Set<String> steps;

  private SteppingLoader(Set<String> steps) {
    super(SteppingLoader.class.getClassLoader());
    this.steps = steps;
  }

  /** Runs a class of this package in a loader of its own. */
  static void run(Class<? extends Runnable> what) throws ReflectiveOperationException {
    run(what, STORES);
  }

  /**
   * Runs a class of this package in a loader of its own.
   *
   * @param what the class
   * @param steps what is a step instead of a store: methods as {@code package/Class.method}
   */
  static void run(Class<? extends Runnable> what, Set<String> steps)
      throws ReflectiveOperationException {
    ClassLoader loader = new SteppingLoader(steps);
    ((Runnable) loader.loadClass(what.getName()).getDeclaredConstructor().newInstance()).run();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("org.ofi4j.core.")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      return known != null ? known : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      boolean plain = name.equals(Steps.class.getName()) || !mayStep(bytes);
      byte[] stepping = plain ? bytes : stepping(bytes);
      return defineClass(name, stepping, 0, stepping.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the names in a class may be those of a step. Most classes have none. */
  private boolean mayStep(byte[] bytes) {
    String all = new String(bytes, StandardCharsets.ISO_8859_1);
    return steps.stream().anyMatch(step -> all.contains(step.substring(0, step.indexOf('.'))));
  }

  private byte[] stepping(byte[] bytes) {
    ClassFile file = ClassFile.of();
    CodeTransform aroundStores =
        (code, element) -> {
          if (element instanceof InvokeInstruction call
              && steps.contains(call.owner().asInternalName() + "." + call.name().stringValue())) {
            code.invokestatic(STEPS, "check", NOTHING)
                .with(element)
                .invokestatic(STEPS, "step", NOTHING);
          } else {
            code.with(element);
          }
        };
    return file.transformClass(
        file.parse(bytes), ClassTransform.transformingMethodBodies(aroundStores));
  }
}
