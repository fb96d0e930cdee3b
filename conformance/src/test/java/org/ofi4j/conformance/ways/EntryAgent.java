// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.ways;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A Java agent that records the classes whose code a thread enters. It inserts a call of {@link
 * #entered} at the beginning of each method, constructor and lambda expression of ofi4j. A lambda
 * expression counts for the class that it is written in.
 */
public final class EntryAgent {
  private static final ClassDesc AGENT = EntryAgent.class.describeConstable().orElseThrow();
  private static final MethodTypeDesc ENTERED =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);

  /** Reads class files only. The default would load classes that are just being transformed. */
  private static final ClassFile CLASS_FILE =
      ClassFile.of(
          ClassFile.ClassHierarchyResolverOption.of(
              ClassHierarchyResolver.ofResourceParsing(ClassLoader.getSystemClassLoader())
                  .cached()));

  private static final SortedSet<String> CLASSES = new TreeSet<>();
  private static volatile @Nullable Thread recorded;

  private EntryAgent() {}

  /** Called by the JVM before {@code main}. */
  public static void premain(String arguments, Instrumentation instrumentation) {
    instrumentation.addTransformer(new Insertion());
  }

  /** Called by each instrumented method. */
  public static void entered(String className) {
    if (Thread.currentThread() == recorded) {
      CLASSES.add(className);
    }
  }

  /** Returns the classes that the calling thread enters during a call. */
  static SortedSet<String> during(Runnable call) {
    CLASSES.clear();
    recorded = Thread.currentThread();
    call.run();
    recorded = null;
    return new TreeSet<>(CLASSES);
  }

  /** Not the agent itself, so that a JVM without agents can load the name of the agent. */
  private static final class Insertion implements ClassFileTransformer {
    @Override
    public byte @Nullable [] transform(
        @Nullable ClassLoader loader,
        @Nullable String name,
        @Nullable Class<?> redefined,
        @Nullable ProtectionDomain domain,
        byte[] bytes) {
      if (name == null
          || !name.startsWith("org/ofi4j/")
          || name.startsWith("org/ofi4j/conformance/")) {
        return null;
      }
      try {
        return CLASS_FILE.transformClass(
            CLASS_FILE.parse(bytes),
            ClassTransform.transformingMethodBodies(new Entry(name.replace('/', '.'))));
      } catch (RuntimeException | Error failed) {
        // The JVM would go on with the class as it was, which then is missing in the list.
        failed.printStackTrace();
        Runtime.getRuntime().halt(1);
        throw failed;
      }
    }
  }

  private record Entry(String className) implements CodeTransform {
    @Override
    public void atStart(CodeBuilder builder) {
      builder.loadConstant(className).invokestatic(AGENT, "entered", ENTERED);
    }

    @Override
    public void accept(CodeBuilder builder, CodeElement element) {
      builder.with(element);
    }
  }
}
