#include "base/strings.h"
#include "reflect/describe.h"
#include "testing/sample_type.h"

namespace muster::reflect {

using sample::Cart;
using sample::CartSpec;
using sample::Engine;
using sample::Wheel;

TypeDesc describe(Of<Wheel>) {
  return object<Wheel>("Wheel", "One wheel.", field<&Wheel::name>("name", "Which wheel.").required(),
                       field<&Wheel::spokes>("spokes", "How many spokes.").min(3).default_value(8))
      .open<&Wheel::rest>({"rim", "tyre"});
}

TypeDesc describe(Of<Engine>) {
  return object<Engine>("Engine", "What pulls.",
                        field<&Engine::enabled>("enabled", "Whether it runs.").also_known_as("enable"),
                        field<&Engine::power>("power", "How strong it is.").default_value("weak"));
}

TypeDesc describe(Of<CartSpec>) {
  return object<CartSpec>(
      "CartSpec", "What a cart is like.",
      field<&CartSpec::owner>("owner", "Who has it.").required().pattern("^[a-z0-9-]+$", &is_dns_label),
      field<&CartSpec::paint>("paint", "Its colour.").one_of({"Red", "Green", "Blue"}).immutable(),
      field<&CartSpec::load>("load", "How much is on it.").min(1).max(100),
      field<&CartSpec::serial>("serial", "Number of the cart.").immutable_once_set(),
      field<&CartSpec::weight>("weight", "In kilograms."), field<&CartSpec::brake>("brake", "Whether it has one."),
      field<&CartSpec::gears>("gears", "How many, or auto.").int_or_string(),
      field<&CartSpec::fuel>("fuel", "How much is left.").deprecated("engine.power"),
      field<&CartSpec::built>("built", "When it was made."),
      field<&CartSpec::tuned>("tuned", "When it was tuned.").micro_time(),
      field<&CartSpec::secrets>("secrets", "What is hidden in it.").base64_values(),
      field<&CartSpec::tags>("tags", "Words about it.").pattern("^[a-z0-9-]+$", &is_dns_label, "use plain words"),
      field<&CartSpec::cargo>("cargo", "What is on it."),
      field<&CartSpec::wheels>("wheels", "Its wheels.").min_items(1).list_map_key("name"),
      field<&CartSpec::engine>("engine", "What pulls it."),
      field<&CartSpec::spare>("spare", "A second engine, kept as written.").as_written(),
      field<&CartSpec::notes>("notes", "Anything."));
}

TypeDesc describe(Of<Cart>) {
  return root<Cart>("test.muster.dev/v1", "Cart", "A thing on wheels.",
                    field<&Cart::spec>("spec", "What it is like.").required());
}

}  // namespace muster::reflect
