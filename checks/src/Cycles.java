// SPDX-License-Identifier: Apache-2.0
import module java.base;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.NameAndTypeEntry;
import java.lang.classfile.constantpool.PoolEntry;

/// Looks for classes that cannot be understood one after the other: more than three that each need
/// all the others, directly or by way of them. It reads the compiled main classes of every module
/// but `api`, whose types are one vocabulary.
///
/// A nested class counts as the class around it, and a sealed type and those that it permits as one
/// class. Constants that the compiler copies are no use of their class.
///
/// What has to stay stands in a list, one line a cycle, its classes in order of their names. The
/// list may only become shorter: a cycle on it that is gone fails, as does one that is not on it.
///
/// Run by Maven from its source: `java Cycles.java <root> <list>`.
final class Cycles {
  private static final int MOST = 3;
  private static final String EXEMPT = "api";

  /// The classes that each one uses, by names with slashes.
  private final Map<String, Set<String>> uses = new TreeMap<>();

  /// What stands for a class: itself, or another one of its sealed family.
  private final Map<String, String> families = new HashMap<>();

  /// As Tarjan's algorithm has it: the order in which classes were come upon, and the first one
  /// that each leads back to.
  private final Map<String, Integer> order = new HashMap<>();

  private final Map<String, Integer> low = new HashMap<>();
  private final Deque<String> path = new ArrayDeque<>();
  private final SortedSet<String> found = new TreeSet<>();

  private Cycles() {}

  public static void main(String[] arguments) throws IOException {
    var cycles = new Cycles();
    cycles.read(Path.of(arguments[0]).toRealPath());
    cycles.search();
    var listed = new TreeSet<>(Files.readAllLines(Path.of(arguments[1])));
    listed.removeIf(line -> line.isBlank() || line.startsWith("#"));
    // Not all modules may have been compiled.
    listed.removeIf(cycle -> Stream.of(cycle.split(" ")).noneMatch(cycles::isRead));
    var fresh = new TreeSet<>(cycles.found);
    fresh.removeAll(listed);
    listed.removeAll(cycles.found);
    for (String cycle : fresh) {
      System.err.println("Each of these needs all the others: " + cycle);
      cycles.printUses(List.of(cycle.split(" ")));
    }
    listed.forEach(
        cycle -> System.err.println("No cycle any more, take it from the list: " + cycle));
    System.exit(fresh.isEmpty() && listed.isEmpty() ? 0 : 1);
  }

  private boolean isRead(String name) {
    return uses.containsKey(name.replace('.', '/'));
  }

  private void read(Path root) throws IOException {
    var models = new ArrayList<ClassModel>();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module : modules.filter(each -> !each.endsWith(EXEMPT)).toList()) {
        Path classes = module.resolve("target/classes");
        if (Files.isDirectory(classes)) {
          try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
              models.add(ClassFile.of().parse(file));
            }
          }
        }
      }
    }
    models.forEach(this::join);
    models.forEach(this::note);
    uses.values().forEach(used -> used.retainAll(uses.keySet()));
  }

  /// Makes one family of a sealed type and those that it permits.
  private void join(ClassModel model) {
    model
        .findAttribute(Attributes.permittedSubclasses())
        .ifPresent(permits -> {
          for (ClassEntry permitted : permits.permittedSubclasses()) {
            String one = family(outermost(model.thisClass().asInternalName()));
            String other = family(outermost(permitted.asInternalName()));
            if (!one.equals(other)) {
              families.put(other, one);
            }
          }
        });
  }

  private String family(String name) {
    String known = families.get(name);
    return known == null ? name : family(known);
  }

  private static String outermost(String name) {
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  private void note(ClassModel model) {
    String user = family(outermost(model.thisClass().asInternalName()));
    Set<String> used = uses.computeIfAbsent(user, _ -> new TreeSet<>());
    for (PoolEntry entry : model.constantPool()) {
      switch (entry) {
        case ClassEntry type -> note(used, type.asSymbol());
        case NameAndTypeEntry member -> noteDescriptor(used, member.type().stringValue());
        default -> {}
      }
    }
    model.fields().forEach(field -> noteDescriptor(used, field.fieldType().stringValue()));
    model.methods().forEach(method -> noteDescriptor(used, method.methodType().stringValue()));
    used.remove(user);
  }

  private void noteDescriptor(Set<String> used, String descriptor) {
    if (descriptor.startsWith("(")) {
      var type = MethodTypeDesc.ofDescriptor(descriptor);
      note(used, type.returnType());
      type.parameterList().forEach(parameter -> note(used, parameter));
    } else {
      note(used, ClassDesc.ofDescriptor(descriptor));
    }
  }

  private void note(Set<String> used, ClassDesc type) {
    ClassDesc element = type;
    while (element.isArray()) {
      element = element.componentType();
    }
    if (element.isClassOrInterface()) {
      String descriptor = element.descriptorString();
      used.add(family(outermost(descriptor.substring(1, descriptor.length() - 1))));
    }
  }

  private void search() {
    for (String name : uses.keySet()) {
      if (!order.containsKey(name)) {
        visit(name);
      }
    }
  }

  private void visit(String name) {
    order.put(name, order.size());
    low.put(name, order.get(name));
    path.push(name);
    for (String used : uses.get(name)) {
      if (!order.containsKey(used)) {
        visit(used);
        low.merge(name, low.get(used), Math::min);
      } else if (path.contains(used)) {
        low.merge(name, order.get(used), Math::min);
      }
    }
    if (low.get(name).equals(order.get(name))) {
      var cycle = new TreeSet<String>();
      while (!cycle.contains(name)) {
        cycle.add(path.pop());
      }
      if (cycle.size() > MOST) {
        found.add(String.join(" ", cycle).replace('/', '.'));
      }
    }
  }

  private void printUses(List<String> cycle) {
    for (String user : cycle) {
      var used = new TreeSet<String>();
      uses.get(user.replace('.', '/')).forEach(each -> used.add(each.replace('/', '.')));
      used.retainAll(cycle);
      used.forEach(each -> System.err.println("  " + user + " uses " + each));
    }
  }
}
