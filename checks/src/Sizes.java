// SPDX-License-Identifier: Apache-2.0
import module java.base;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/// Holds the main classes of every module against the sizes that a reader can take in: 400 lines a
/// class, 60 a method, seven parameters, 45 classes a package.
///
/// What is larger stands in a list, one line each, and the list may only become shorter: what is on
/// it and is not too large any more fails, as does what is too large and not on it.
///
/// Run by Maven from its source: `java Sizes.java <root> <list>`.
final class Sizes {
  private static final int CLASS_LINES = 400;
  private static final int METHOD_LINES = 60;
  private static final int PARAMETERS = 7;
  private static final int CLASSES = 45;

  /// Lists of equals, which nobody reads from the first to the last.
  private static final Set<String> LISTS = Set.of("org.ofi4j", "org.ofi4j.conformance.rules");

  /// Its parameters are a matter of the interface's own.
  private static final String INTERFACE = "org.ofi4j";

  private final SortedSet<String> found = new TreeSet<>();
  private final Map<String, Integer> classes = new TreeMap<>();

  private Sizes() {}

  public static void main(String[] arguments) throws IOException {
    var sizes = new Sizes();
    sizes.read(Path.of(arguments[0]).toRealPath());
    sizes.classes.forEach((name, count) -> {
      if (count > CLASSES && !LISTS.contains(name)) {
        sizes.found.add(name + " classes");
      }
    });
    var listed = new TreeSet<>(Files.readAllLines(Path.of(arguments[1])));
    listed.removeIf(line -> line.isBlank() || line.startsWith("#"));
    var large = new TreeSet<>(sizes.found);
    large.removeAll(listed);
    listed.removeAll(sizes.found);
    large.forEach(what -> System.err.println("Too large: " + what));
    listed.forEach(
        what -> System.err.println("Not too large any more, take it from the list: " + what));
    System.exit(large.isEmpty() && listed.isEmpty() ? 0 : 1);
  }

  private void read(Path root) throws IOException {
    var files = new ArrayList<Path>();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module : modules.map(each -> each.resolve("src/main/java")).toList()) {
        if (Files.isDirectory(module)) {
          try (Stream<Path> below = Files.walk(module)) {
            below
                .filter(file -> file.toString().endsWith(".java"))
                .filter(file -> !file.endsWith("module-info.java"))
                .filter(file -> !file.endsWith("package-info.java"))
                .forEach(files::add);
          }
        }
      }
    }
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var manager = compiler.getStandardFileManager(null, null, null)) {
      Iterable<? extends JavaFileObject> units = manager.getJavaFileObjectsFromPaths(files);
      var task =
          (JavacTask) compiler.getTask(null, manager, null, List.of("-proc:none"), null, units);
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        new Scan(unit, positions).scan(unit, null);
      }
    }
  }

  private final class Scan extends TreeScanner<Void, Void> {
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final Deque<ClassTree> around = new ArrayDeque<>();

    Scan(CompilationUnitTree unit, SourcePositions positions) {
      this.unit = unit;
      this.positions = positions;
    }

    @Override
    public Void visitClass(ClassTree type, Void none) {
      if (around.isEmpty()) {
        classes.merge(unit.getPackageName().toString(), 1, Integer::sum);
        if (lines(type) > CLASS_LINES) {
          found.add(name(type) + " lines");
        }
      }
      around.push(type);
      super.visitClass(type, none);
      around.pop();
      return null;
    }

    @Override
    public Void visitMethod(MethodTree method, Void none) {
      ClassTree type = around.peek();
      String name = name(around.peekLast()) + "." + method.getName();
      if (lines(method) > METHOD_LINES) {
        found.add(name + " lines");
      }
      // What overrides has the parameters of what it overrides.
      boolean exempt =
          unit.getPackageName().toString().equals(INTERFACE)
              || (type.getKind() == Tree.Kind.RECORD && method.getName().contentEquals("<init>"))
              || method.getModifiers().getAnnotations().stream()
                  .anyMatch(each -> each.getAnnotationType().toString().equals("Override"));
      if (method.getParameters().size() > PARAMETERS && !exempt) {
        found.add(name + " parameters");
      }
      return super.visitMethod(method, none);
    }

    private String name(ClassTree type) {
      return unit.getPackageName() + "." + type.getSimpleName();
    }

    private long lines(Tree tree) {
      LineMap map = unit.getLineMap();
      long first = map.getLineNumber(positions.getStartPosition(unit, tree));
      return map.getLineNumber(positions.getEndPosition(unit, tree)) - first + 1;
    }
  }
}
