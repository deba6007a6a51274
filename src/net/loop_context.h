// The Asio context inside EventLoop, for the .cc files of net/ that use Asio directly.
#pragma once

#include "net/event_loop.h"

namespace boost::asio {
class io_context;
}

namespace muster::net {

boost::asio::io_context& io_of(EventLoop& loop);

}  // namespace muster::net
