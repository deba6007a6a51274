// Writes src/api/kubernetes/kubernetes_fields.gen.cc: the fields of the kinds of Kubernetes that we serve, and how they merge.
// Everything but the schema of server-side apply is in the tags of Kubernetes' own Go types; that schema is the text
// which client-go keeps in the file named by the only argument. Run by tools/update_kubernetes_fields.
package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/structured-merge-diff/v4/schema"
	"sigs.k8s.io/structured-merge-diff/v4/typed"
)

var kinds = []struct {
	apiVersion string
	object     any
}{
	{"v1", corev1.Binding{}},
	{"v1", corev1.ConfigMap{}},
	{"v1", corev1.Event{}},
	{"v1", corev1.Namespace{}},
	{"v1", corev1.Node{}},
	{"v1", corev1.PersistentVolume{}},
	{"v1", corev1.PersistentVolumeClaim{}},
	{"v1", corev1.Pod{}},
	{"v1", corev1.ResourceQuota{}},
	{"v1", corev1.Secret{}},
	{"v1", corev1.Service{}},
	{"v1", corev1.ServiceAccount{}},
	{"v1", metav1.DeleteOptions{}},
	{"apps/v1", appsv1.Deployment{}},
	{"authentication.k8s.io/v1", authenticationv1.SelfSubjectReview{}},
	{"authentication.k8s.io/v1", authenticationv1.TokenRequest{}},
	{"authorization.k8s.io/v1", authorizationv1.SelfSubjectAccessReview{}},
	{"authorization.k8s.io/v1", authorizationv1.SelfSubjectRulesReview{}},
	{"coordination.k8s.io/v1", coordinationv1.Lease{}},
	{"scheduling.k8s.io/v1", schedulingv1.PriorityClass{}},
}

// Structs that are one value in JSON.
var values = map[reflect.Type]string{
	reflect.TypeOf(metav1.Time{}):        "kTime",
	reflect.TypeOf(metav1.MicroTime{}):   "kMicroTime",
	reflect.TypeOf(resource.Quantity{}):  "kQuantity",
	reflect.TypeOf(intstr.IntOrString{}): "kIntOrString",
	reflect.TypeOf(metav1.FieldsV1{}):    "kFields",
}

type generator struct {
	schema   schema.Schema
	written  map[string]reflect.Type
	messages strings.Builder
	names    []string
}

// "io.k8s.api.core.v1.Pod", as the schema names k8s.io/api/core/v1.Pod.
func schemaName(t reflect.Type) string {
	host, path, _ := strings.Cut(t.PkgPath(), "/")
	labels := strings.Split(host, ".")
	return labels[1] + "." + labels[0] + "." + strings.ReplaceAll(path, "/", ".") + "." + t.Name()
}

// The definition of a struct; nil where nothing of its kind is ever applied.
func (g *generator) applied(t reflect.Type) *schema.Map {
	def, found := g.schema.FindNamedType(schemaName(t))
	if !found {
		return nil
	}
	return def.Map
}

func scalar(t reflect.Type) string {
	if value, found := values[t]; found {
		return value
	}
	switch t.Kind() {
	case reflect.String:
		return "kString"
	case reflect.Bool:
		return "kBool"
	case reflect.Int32, reflect.Int64:
		return "kInt"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "kBytes"
		}
	}
	return ""
}

// The words of C++ for the type of one value.
func (g *generator) typeOf(t reflect.Type) string {
	if name := scalar(t); name != "" {
		return name
	}
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("%v: a type that the tables have no word for", t))
	}
	g.message(t, g.applied(t))
	return "&k" + t.Name()
}

// The members that name an item of a list, with the default of those that have one.
func (g *generator) itemKeys(list *schema.List) string {
	item, _ := g.schema.Resolve(list.ElementType)
	var out []string
	for _, key := range list.Keys {
		field, _ := item.FindField(key)
		if word, isText := field.Default.(string); isText && word != "" {
			out = append(out, fmt.Sprintf("{%q, %q}", key, word))
		} else {
			out = append(out, fmt.Sprintf("{%q}", key))
		}
	}
	return strings.Join(out, ", ")
}

// How the values of a field merge, where they do not merge as every value does. `applied` defines the struct of the
// field for server-side apply; nil where nothing of its kind is ever applied.
func (g *generator) merging(applied *schema.Map, field reflect.StructField, name string) []string {
	var out []string
	if strategy := field.Tag.Get("patchStrategy"); strategy != "" {
		out = append(out, fmt.Sprintf(".patch_strategy = %q", strategy))
	}
	if key := field.Tag.Get("patchMergeKey"); key != "" {
		out = append(out, fmt.Sprintf(".patch_key = %q", key))
	}
	if applied == nil {
		return out
	}
	definition, found := applied.FindField(name)
	if !found {
		panic(name + ": not in the schema of server-side apply")
	}
	if list := definition.Type.Inlined.List; list != nil && list.ElementRelationship == schema.Associative {
		if len(list.Keys) == 0 {
			out = append(out, ".is_set = true")
		} else {
			out = append(out, fmt.Sprintf(".apply_keys = {%s}", g.itemKeys(list)))
		}
	}
	object := definition.Type.Inlined.Map
	override := definition.Type.ElementRelationship
	if (object != nil && object.ElementRelationship == schema.Atomic) || (override != nil && *override == schema.Atomic) {
		out = append(out, ".is_atomic = true")
	}
	return out
}

func (g *generator) row(applied *schema.Map, field reflect.StructField) string {
	numbered := strings.Split(field.Tag.Get("protobuf"), ",")
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	if len(numbered) < 2 { // apiVersion and kind
		return ""
	}
	t, shape := field.Type, "kOne"
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	} else if strings.Contains(options, "omitempty") && (t.Kind() != reflect.Struct || values[t] != "") {
		shape = "kOptional"
	}
	if name == "" {
		g.message(t, applied) // the schema has its fields in the struct around it
		return fmt.Sprintf("    {%s, &k%s},\n", numbered[1], t.Name())
	}
	switch {
	case t.Kind() == reflect.Map:
		t, shape = t.Elem(), "kMap"
	case t.Kind() == reflect.Slice && scalar(t) == "":
		t, shape = t.Elem(), "kList"
	}
	row := fmt.Sprintf("    {%s, %q, %s, %s", numbered[1], name, shape, g.typeOf(t))
	if merging := g.merging(applied, field, name); len(merging) > 0 {
		row += ", {" + strings.Join(merging, ", ") + "}"
	}
	return row + "},\n"
}

// What the server answers to a review is never read.
func isAnswer(owner reflect.Type, field reflect.StructField) bool {
	return strings.HasSuffix(owner.Name(), "Review") && field.Name == "Status"
}

// Writes the tables of a struct, after those of what it contains.
func (g *generator) message(t reflect.Type, applied *schema.Map) {
	if other, found := g.written[t.Name()]; found {
		if other != t {
			panic(fmt.Sprintf("%v and %v have one name", other, t))
		}
		return
	}
	g.written[t.Name()] = t
	rows := ""
	for i := range t.NumField() {
		if !isAnswer(t, t.Field(i)) {
			rows += g.row(applied, t.Field(i))
		}
	}
	atomic := ""
	if applied := g.applied(t); applied != nil && applied.ElementRelationship == schema.Atomic {
		atomic = ", true"
	}
	name := t.Name()
	fmt.Fprintf(&g.messages, "constexpr Field k%sFields[] = {\n%s};\nconstexpr Message k%s = {%q, k%sFields%s};\n\n",
		name, rows, name, name, name, atomic)
	g.names = append(g.names, name)
}

func readSchema(path string) schema.Schema {
	source, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	parts := strings.Split(string(source), "`")
	if len(parts) != 3 {
		panic(path + ": does not hold one schema")
	}
	parser, err := typed.NewParser(typed.YAMLObject(parts[1]))
	if err != nil {
		panic(err)
	}
	return parser.Schema
}

func main() {
	g := generator{schema: readSchema(os.Args[1]), written: map[string]reflect.Type{}}
	roots := ""
	for _, kind := range kinds {
		t := reflect.TypeOf(kind.object)
		g.message(t, g.applied(t))
		roots += fmt.Sprintf("    {%q, &k%s},\n", kind.apiVersion, t.Name())
	}
	fmt.Print("// Generated by tools/update_kubernetes_fields; do not edit.\n// clang-format off\n" +
		"#include \"api/kubernetes/kubernetes_fields.h\"\n\nnamespace muster::api::kubernetes {\nnamespace {\n\n" +
		"using enum Shape;\nusing enum Type;\n\n" + g.messages.String())
	fmt.Printf("constexpr const Message* kAllMessages[] = {\n    &k%s,\n};\n\n", strings.Join(g.names, ",\n    &k"))
	fmt.Printf("constexpr Kind kAllKinds[] = {\n%s};\n\n", roots)
	fmt.Print("}  // namespace\n\nconst std::span<const Message* const> kMessages = kAllMessages;\n" +
		"const std::span<const Kind> kKinds = kAllKinds;\n\n}  // namespace muster::api::kubernetes\n")
}
