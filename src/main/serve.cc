#include <fmt/core.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "agent/agent.h"
#include "agent/volumes/volume_folders.h"
#include "apiserver/api_server.h"
#include "arena/code_sync/git_sync.h"
#include "base/files.h"
#include "base/log.h"
#include "base/random.h"
#include "base/strings.h"
#include "base/time.h"
#include "cli/connect/connect.h"
#include "client/kubeconfig.h"
#include "control/runtime/controllers.h"
#include "linux/tcp_port.h"
#include "main/commands.h"
#include "main/config.h"
#include "main/console/asset_pack.h"
#include "main/console/console_pages.h"
#include "main/console/console_sessions.h"
#include "main/console/stream_socket.h"
#include "main/data_dir.h"
#include "main/gpu_driver.h"
#include "main/jobs/job_log_route.h"
#include "main/jobs/scalars_route.h"
#include "main/pages/content_port.h"
#include "main/pages/find_logs.h"
#include "main/pages/one_time_links.h"
#include "main/pages/page_access.h"
#include "main/pages/page_name.h"
#include "main/pages/page_proxy.h"
#include "main/pages/service_route.h"
#include "main/queues.h"
#include "mpi/program.h"
#include "net/event_loop.h"
#include "net/http_server.h"
#include "store/snapshots.h"
#include "store/store.h"

namespace muster {
namespace {

// sysexits.h EX_IOERR: the store could not be written, so nothing later may be acknowledged by this process.
constexpr int kExitStoreFailed = 74;

struct ServeOptions {
  std::string data_dir;
  Address address;
  Config config;
  bool accept_data_loss = false;
};

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

Result<Config> config_for(const std::string& data_dir, const std::string& file) {
  if (!file.empty()) return load_config(file, data_dir);
  const std::string usual = data_dir + "/config.yaml";
  return std::filesystem::exists(usual) ? load_config(usual, data_dir) : parse_config("", usual);
}

Result<LogLevel> parse_log_level(const std::string& word) {
  if (word == "debug") return LogLevel::kDebug;
  if (word == "info") return LogLevel::kInfo;
  if (word == "warn") return LogLevel::kWarn;
  if (word == "error") return LogLevel::kError;
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("--log-level: must be debug, info, warn or error, got {}", quote(word))};
}

/// Returns the address from the flag, else from the configuration, else the one where the engine served last.
Result<Address> choose_address(const std::string& flag, const Config& config, const std::string& data_dir) {
  if (!flag.empty()) {
    auto address = parse_address(flag);
    return address ? address : in_context("--listen", address.error());
  }
  if (!config.listen.empty()) return parse_address(config.listen);
  const auto last = parse_address(last_address(data_dir));
  return last ? *last : Address{.host = "127.0.0.1", .port = 8765};
}

/// Returns the path of the running binary; "" when its file is gone.
std::string own_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error || !std::filesystem::exists(path, error) ? "" : path.string();
}

agent::Options agent_options(const ServeOptions& options) {
  agent::Options result;
  result.directory = options.data_dir;
  result.node_name = to_lower(host_name());
  result.refuse_unmapped = options.config.unmapped == "refuse";
  result.visible = options.config.visible;
  result.host_paths = options.config.host_paths;
  result.resources = options.config.resources;
  result.program = {.path = own_program(), .names = mpi::pod_program_names()};
  for (std::string& name : arena::pod_program_names()) result.program.names.push_back(std::move(name));
  result.program.names.emplace_back("kubectl");  // last in PATH: the machine's own goes first
  result.gpus = find_gpu_driver();
  result.processes_per_container = options.config.processes_per_container;
  const LogsConfig& logs = options.config.logs;
  result.logs = {.max_bytes_per_container = logs.max_bytes_per_container.value(),
                 .keep_for = *parse_duration(logs.keep_for),
                 .keep_bytes = logs.keep_bytes.value(),
                 .keep_pods = static_cast<std::size_t>(logs.keep_pods)};
  result.metrics = {.history = *parse_duration(options.config.metrics.history),
                    .keep_ended = *parse_duration(options.config.metrics.keep_ended),
                    .max_bytes = options.config.metrics.max_size.value(),
                    .stalled_after = *parse_duration(options.config.stalled_after)};
  for (const EnvironmentConfig& environment : options.config.environments) {
    agent::Environment to{.image = environment.image, .venv = environment.venv, .env = environment.env};
    to.rootfs = environment.rootfs;
    to.writable = environment.writable;
    to.working_dir = environment.working_dir;
    to.command = environment.command;
    for (const EnvironmentMount& mount : environment.mounts) to.mounts.push_back({mount.path, mount.from});
    to.home = environment.home;
    result.environments.push_back(std::move(to));
  }
  return result;
}

Duration tensorboard_idle_after(const Config& config) {
  return *parse_duration(config.tensorboard.idle_after);
}

/// What an image gets here is the agent's to say; that nothing is configured for it is said when it is written, too.
std::string warning_about_image(const Config& config, const std::string& image) {
  const bool is_mapped = std::ranges::any_of(config.environments, [&image](const EnvironmentConfig& environment) {
    return wildcard_match(environment.image, image);
  });
  // The image `host` asks for the machine's own programs by name.
  if (is_mapped || (image == "host" && config.unmapped != "refuse")) return "";
  if (config.unmapped == "refuse") {
    return fmt::format(
        "no environment is configured for {}: its pods will fail; add one to `environments` in config.yaml",
        quote(image));
  }
  return fmt::format(
      "no environment is configured for {}: the machine's own programs are used; add one to `environments` "
      "in config.yaml",
      quote(image));
}

apiserver::NodePolicy node_policy(const ServeOptions& options) {
  return {.folders = {.data_dir = real_data_dir(options.data_dir), .allowed = options.config.host_paths},
          .missing_folder = agent::missing_folder_problem,
          .warn_about_image =
              [config = options.config](const std::string& image) { return warning_about_image(config, image); },
          .strict_queues = options.config.scheduling == "strict"};
}

/// Members are destroyed in reverse order: agent and controllers before the server they use, the store last.
struct Engine {
  net::EventLoop loop;
  SystemRng rng;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<store::Snapshots> snapshots;
  std::unique_ptr<apiserver::ApiServer> api;
  std::unique_ptr<apiserver::LocalTransport> transport;
  std::unique_ptr<client::ApiClient> client;
  std::unique_ptr<control::Controllers> controllers;
  std::unique_ptr<agent::Agent> agent;
  std::unique_ptr<net::HttpServer> http;
  std::unique_ptr<PageAccess> page_access;
  std::unique_ptr<PageProxy> pages;
  std::unique_ptr<OneTimeLinks> console_links;
  std::unique_ptr<ConsoleSessions> console_sessions;
  std::unique_ptr<ConsolePages> console;
  std::unique_ptr<net::HttpServer> content;
  std::string pages_url;    // of `content`, once it listens
  std::string console_url;  // of `http`, for browsers, once it listens
  int port = 0;             // of `http`, once it listens

  ~Engine() {
    content.reset();
    pages.reset();
    http.reset();
    agent.reset();
    controllers.reset();
    client.reset();
    transport.reset();
    api.reset();
    snapshots.reset();
    if (store) store->close();
  }
};

/// An engine that was just killed holds its lock until the kernel has freed its memory, so a new one waits a moment.
Result<std::unique_ptr<store::Store>> open_when_unlocked(Loop& loop, const store::Options& options) {
  constexpr int kAttempts = 20;
  for (int attempt = 1;; ++attempt) {
    auto opened = store::Store::open(loop, options);
    if (opened || opened.error().reason != Reason::kConflict || attempt == kAttempts) return opened;
    if (attempt == 1) LOG_WARN("cannot open the store yet", {"error", opened.error().message});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Status open_store(Engine& engine, const ServeOptions& options) {
  store::Options store_options;
  store_options.directory = options.data_dir + "/store";
  store_options.extract = apiserver::extract_attributes;
  store_options.accept_data_loss = options.accept_data_loss;
  store_options.on_fatal = [](const Error& error) {
    LOG_ERROR("the store failed; stopping so that nothing unsaved is acknowledged", {"error", error.message});
    ::_exit(kExitStoreFailed);
  };
  TRY(make_directories(store_options.directory, 0700));
  TRY_ASSIGN(engine.store, open_when_unlocked(engine.loop, store_options));
  for (const std::string& problem : engine.store->problems()) LOG_ERROR("store", {"problem", problem});
  const Duration every = parse_duration(options.config.snapshots.every).value_or(std::chrono::hours(1));
  engine.snapshots = std::make_unique<store::Snapshots>(
      engine.loop, *engine.store,
      store::Snapshots::Options{.store_directory = options.data_dir + "/store",
                                .every = every,
                                .keep = static_cast<std::size_t>(options.config.snapshots.keep)});
  return ok();
}

/// How a pod's containers use the API. Pods share the host's network, so they reach the engine where it listens.
Result<agent::ApiAccess> api_access(const Engine& engine, const ServeOptions& options, const Credentials& credentials,
                                    const json::Document& pod) {
  const std::string& host = options.address.host;
  const bool anywhere = host == "0.0.0.0" || host == "::";
  TRY_ASSIGN(apiserver::PodToken issued, engine.api->issue_pod_token(pod));
  return agent::ApiAccess{.host = anywhere ? "127.0.0.1" : host,
                          .port = engine.port,
                          .ca_pem = credentials.ca.certificate_pem,
                          .token = std::move(issued.token),
                          .automount = issued.automount};
}

/// Makes a link that opens a page in a browser once: the browser has no token, and the API sets no cookies.
apiserver::Route link_route(Engine& engine, const PageKind& kind) {
  const auto handle = [&engine, &kind](const apiserver::RoutedRequest& request,
                                       const std::shared_ptr<net::Exchange>& exchange) {
    const std::string page = kind.path(request.at.at("namespace"), request.at.at("name"));
    exchange->respond(
        page_link_response(engine.pages_url + page + "?token=" + engine.page_access->make_link_token(page)));
  };
  return {.pattern = fmt::format("apis/muster.dev/v1/namespaces/{{namespace}}/{}/{{name}}/link", kind.plural),
          .methods = {"POST"},
          .handle = handle};
}

std::vector<apiserver::Route> own_routes(Engine& engine) {
  std::vector<apiserver::Route> routes =
      console_routes([&engine] { return engine.console_url; }, *engine.console_links, *engine.console_sessions);
  for (const PageKind& kind : page_kinds()) routes.push_back(link_route(engine, kind));
  routes.push_back(service_route([&engine]() -> PageProxy& { return *engine.pages; }));
  routes.push_back(scalars_route(engine.client, engine.agent));
  routes.push_back(job_log_route(engine.loop, engine.client));
  routes.push_back(stream_route(engine.loop, [&engine]() -> net::Transport& { return *engine.transport; }));
  return routes;
}

/// Everything that the main port answers.
void answer(Engine& engine, net::Request request, std::shared_ptr<net::Exchange> exchange) {
  if (ConsolePages::serves(request)) return exchange->respond(engine.console->answer(request));
  engine.api->handle(std::move(request), std::move(exchange));
}

PageProxy::Options page_options(Engine& engine, const Config& config) {
  return {.idle_after = tensorboard_idle_after(config),
          .find_logs = [&engine](const json::Document& board, OnLogsFound done) {
            find_logs(*engine.client, *engine.agent->claim_files(), board, std::move(done));
          }};
}

Status start_parts(Engine& engine, const ServeOptions& options, const Credentials& credentials,
                   const std::vector<std::string>& names) {
  engine.console_links = std::make_unique<OneTimeLinks>(engine.loop, engine.rng);
  engine.console_sessions = std::make_unique<ConsoleSessions>(engine.loop, engine.rng, credentials.account_key);
  engine.api = std::make_unique<apiserver::ApiServer>(
      engine.loop, engine.rng, *engine.store,
      apiserver::Options{
          .token = credentials.token,
          .is_owners_token = [&sessions =
                                  *engine.console_sessions](std::string_view token) { return sessions.is_open(token); },
          .account_key = credentials.account_key,
          .allowed_hosts = names,
          .event_life = *parse_duration(options.config.event_ttl),
          .informers_synced = [&engine] { return engine.controllers != nullptr && engine.controllers->is_synced(); },
          .is_acted_on =
              [&engine](const api::Resource& resource) {
                return engine.controllers == nullptr || engine.controllers->acts_on(resource);
              },
          .back_up = [&engine](store::Snapshots::Done done) { engine.snapshots->take_now(std::move(done)); },
          .node_policy = node_policy(options),
          .routes = own_routes(engine)});
  engine.api->start();
  engine.loop.set_busy([&engine] { return engine.api != nullptr && engine.api->requests_under_way() > 0; });
  engine.transport = std::make_unique<apiserver::LocalTransport>(engine.loop, *engine.api);
  engine.client = std::make_unique<client::ApiClient>(*engine.transport, "");
  agent::Options for_agent = agent_options(options);
  for_agent.api_access = [&](const json::Document& pod) { return api_access(engine, options, credentials, pod); };
  engine.agent = std::make_unique<agent::Agent>(engine.loop, engine.rng, *engine.client, std::move(for_agent));
  engine.api->set_node(engine.agent.get());
  engine.api->set_metrics(&engine.agent->metrics());
  const net::ServerTls tls{.certificate_pem = credentials.server.certificate_pem,
                           .key_pem = credentials.server.key_pem};
  engine.page_access = std::make_unique<PageAccess>(
      engine.loop, engine.rng,
      PageAccess::Options{.owner_token = credentials.token, .key = credentials.account_key, .allowed_hosts = names});
  engine.pages = std::make_unique<PageProxy>(engine.loop, engine.rng, *engine.client, *engine.page_access,
                                             page_options(engine, options.config));
  engine.content = make_content_server(engine.loop, tls, *engine.pages);
  TRY_ASSIGN(AssetPack assets, parse_asset_pack(embedded_console()));
  engine.console = std::make_unique<ConsolePages>(std::move(assets), *engine.page_access, *engine.console_links,
                                                  *engine.console_sessions);
  engine.http = std::make_unique<net::HttpServer>(
      engine.loop, tls,
      [&engine](net::Request request, std::shared_ptr<net::Exchange> exchange) {
        answer(engine, std::move(request), std::move(exchange));
      },
      net::ServerLimits{}, [&engine](const net::Request& head) { return engine.api->knows_sender(head); },
      [&engine](const net::Request& head) { return engine.api->streams_body(head); });
  return engine.agent->start();
}

/// `kubectl config set-context --current --namespace=…` writes to the engine's file. The user's choice must survive a
/// restart of the engine.
std::string chosen_namespace(const std::string& kubeconfig) {
  const auto before = client::load_kubeconfig(kubeconfig, "muster");
  return before ? before->ns : "default";
}

Status run_engine(const ServeOptions& options) {
  // Neither a debugger of the same user nor a core file can expose the token and the keys.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  Engine engine;
  TRY(prepare_data_dir(options.data_dir));
  TRY(open_store(engine, options));  // first: it holds the lock that excludes a second engine
  const std::vector<std::string> names{"127.0.0.1", "localhost", "::1", to_lower(host_name()), options.address.host};
  TRY_ASSIGN(const Credentials credentials,
             load_or_make_credentials(options.data_dir, names, engine.rng, engine.loop.now()));
  TRY(start_parts(engine, options, credentials, names));
  TRY_ASSIGN(engine.port, engine.http->listen(options.address.host, options.address.port));
  TRY(engine.http->listen_unix(options.data_dir + "/api.sock"));
  TRY_ASSIGN(const int content_port, listen_for_content(*engine.content, options.config, options.address, engine.port));
  engine.pages_url = content_url(options.config, options.address, to_lower(host_name()), content_port);
  engine.console_url = browser_url(options.address.host, to_lower(host_name()), engine.port);
  engine.controllers = std::make_unique<control::Controllers>(
      engine.loop, engine.rng, *engine.client, control::Where::kEngine, linux_os::is_port_free,
      control::TensorBoardOptions{.pages_url = engine.pages_url, .idle_after = tensorboard_idle_after(options.config)},
      options.config.scheduling == "strict");
  make_queues(*engine.client, options.config.queues);

  const std::string url = cli::url_of({.host = options.address.host, .port = engine.port});
  const std::string kubeconfig = options.data_dir + "/kubeconfig";
  TRY(write_file_atomically(
      kubeconfig,
      client::make_kubeconfig(url, credentials.ca.certificate_pem, credentials.token, chosen_namespace(kubeconfig)),
      0600));
  TRY(write_engine_record(options.data_dir, url));
  TRY(remember_address(options.data_dir, url.substr(std::string_view("https://").size())));
  engine.loop.run_until([&engine] { return engine.api->is_set_up(); });
  fmt::print("ready {}\n", url);
  std::fflush(stdout);

  engine.loop.on_stop_signal([&engine](int signal) {
    LOG_INFO("stopping; pods keep running", {"signal", signal});
    engine.loop.stop();
  });
  // The controllers start once the server is listening: requests from users and programs come first.
  engine.loop.post_when_idle([&engine] {
    engine.controllers->start();
    engine.pages->start();
  });
  engine.loop.run();
  remove_engine_record(options.data_dir);
  return ok();
}

class Serve final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override {
    flags.add_string("data-dir", &options_.data_dir, "folder that holds everything the engine keeps");
    flags.add_string("listen", &listen_,
                     "HOST:PORT to serve on (default: as configured, else as last, else 127.0.0.1:8765); "
                     "port 0 takes a free one");
    flags.add_string("config", &config_file_, "configuration file (default DIR/config.yaml, when there is one)");
    flags.add_bool("accept-data-loss", &options_.accept_data_loss, "serve although the end of the database is missing");
    flags.add_string("log-level", &log_level_, "what is logged at least: debug, info, warn or error");
  }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    std::signal(SIGPIPE, SIG_IGN);
    const Status ended = serve();
    return ended ? cli::kExitOk : session.fail(ended.error());
  }

 private:
  Status serve() {
    TRY_ASSIGN(const LogLevel lowest, parse_log_level(log_level_));
    set_log_level(lowest);
    TRY_ASSIGN(options_.config, config_for(options_.data_dir, config_file_));
    TRY(check_environments(options_.config, options_.data_dir));
    add_built_in_environments(options_.config);
    TRY_ASSIGN(options_.address, choose_address(listen_, options_.config, options_.data_dir));
    return run_engine(options_);
  }

  std::string listen_;
  std::string config_file_;
  std::string log_level_ = "info";
  ServeOptions options_{.data_dir = default_data_dir(), .address = {}, .config = {}, .accept_data_loss = false};
};

}  // namespace

std::unique_ptr<cli::Command> make_serve() {
  return std::make_unique<Serve>();
}

}  // namespace muster
