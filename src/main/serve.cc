#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "agent/agent.h"
#include "agent/machine/machine.h"
#include "agent/network/network_policy.h"
#include "agent/pod/stop_pods.h"
#include "agent/registration/node_object.h"
#include "agent/volumes/volume_folders.h"
#include "apiserver/api_server.h"
#include "apiserver/list/attributes.h"
#include "arena/code_sync/git_sync.h"
#include "base/files.h"
#include "base/log.h"
#include "base/random.h"
#include "base/strings.h"
#include "base/time.h"
#include "cli/connect/connect.h"
#include "client/kubeconfig.h"
#include "control/runtime/controllers.h"
#include "door/door.h"
#include "linux/tcp_port.h"
#include "main/boot_unit.h"
#include "main/commands.h"
#include "main/config.h"
#include "main/content_listen.h"
#include "main/data_dir.h"
#include "main/gpu_driver.h"
#include "main/machine_names.h"
#include "main/queues.h"
#include "main/socket_activation.h"
#include "mpi/program.h"
#include "net/event_loop.h"
#include "net/http_server.h"
#include "notify/notifier.h"
#include "notify/senders.h"
#include "store/snapshots.h"
#include "store/store.h"
#include "web/backups/backup_route.h"
#include "web/claims/claim_files.h"
#include "web/console/asset_pack.h"
#include "web/console/console_pages.h"
#include "web/console/console_sessions.h"
#include "web/console/stream_socket.h"
#include "web/jobs/job_log_route.h"
#include "web/jobs/job_pods_route.h"
#include "web/jobs/job_progress.h"
#include "web/jobs/job_verb_routes.h"
#include "web/jobs/newest_jobs.h"
#include "web/jobs/scalars_route.h"
#include "web/pages/content_port.h"
#include "web/pages/find_logs.h"
#include "web/pages/link_routes.h"
#include "web/pages/one_time_links.h"
#include "web/pages/page_access.h"
#include "web/pages/page_objects.h"
#include "web/pages/page_proxy.h"
#include "web/pages/service_route.h"
#include "web/pods/attempt_log_route.h"
#include "web/pods/metrics_route.h"

namespace muster {
namespace {

// sysexits.h EX_IOERR: the store could not be written, so nothing later may be acknowledged by this process.
constexpr int kExitStoreFailed = 74;

struct ServeOptions {
  std::string data_dir;
  Address address;
  Config config;
  bool accept_data_loss = false;
  std::vector<Fd> sockets = {};  // that systemd holds
  bool may_choose_port = false;  // nobody has named an address yet
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

constexpr int kUsualPort = 8765;

/// A host alone keeps the port where the engine served last.
Result<Address> address_of_flag(const std::string& flag, const Result<Address>& last) {
  const bool has_port = flag.rfind(':') != std::string::npos && !flag.ends_with(']');
  auto address = parse_address(has_port ? flag : fmt::format("{}:{}", flag, last ? last->port : kUsualPort));
  return address ? address : in_context("--listen", address.error());
}

/// Returns the address from the flag, else from the configuration, else the one where the engine served last.
Result<Address> choose_address(const std::string& flag, const Config& config, const std::string& data_dir) {
  const auto last = parse_address(last_address(data_dir));
  if (!flag.empty()) return address_of_flag(flag, last);
  if (!config.listen.empty()) return parse_address(config.listen);
  return last ? *last : Address{.host = "127.0.0.1", .port = kUsualPort};
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
  result.node_name = agent::node_name_of(host_name());
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
  result.disk.reserve = options.config.disk.reserve;
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

/// The agent chooses the environment of an image; a missing configuration is already reported when the object is
/// written.
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

apiserver::NodePolicy node_policy(const ServeOptions& options, const agent::NetworkPolicy& network) {
  return {.folders = {.data_dir = real_data_dir(options.data_dir), .allowed = options.config.host_paths},
          .missing_folder = agent::missing_folder_problem,
          .warn_about_image =
              [config = options.config](const std::string& image) { return warning_about_image(config, image); },
          .strict_queues = options.config.scheduling == "strict",
          .publishes_ports = network.own_networks};
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
  std::unique_ptr<notify::Senders> senders;
  std::unique_ptr<notify::Notifier> notifier;
  std::unique_ptr<agent::Agent> agent;
  std::unique_ptr<net::HttpServer> http;
  std::unique_ptr<web::PageAccess> page_access;
  std::unique_ptr<web::PageProxy> pages;
  std::unique_ptr<web::OneTimeLinks> console_links;
  std::unique_ptr<web::ConsoleSessions> console_sessions;
  std::unique_ptr<web::ConsolePages> console;
  std::unique_ptr<net::HttpServer> content;
  std::unique_ptr<door::Door> door;
  int port = 0;                                              // of `http`, once it listens
  std::map<std::string, net::HttpServer::ListenerId> doors;  // of `http`, in the networks of jobs
  bool has_job_networks = false;

  ~Engine() {
    door.reset();
    content.reset();
    pages.reset();
    http.reset();
    agent.reset();
    notifier.reset();
    senders.reset();
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

/// How a pod's containers use the API: where the engine listens, or, in a network of its own, at its door on loopback.
Result<agent::ApiAccess> api_access(const Engine& engine, const ServeOptions& options, const Credentials& credentials,
                                    const json::Document& pod) {
  const std::string& host = options.address.host;
  TRY_ASSIGN(apiserver::PodToken issued, engine.api->issue_pod_token(pod));
  return agent::ApiAccess{.host = is_anywhere(host) ? "127.0.0.1" : host,
                          .port = engine.port,
                          .ca_pem = credentials.ca.certificate_pem,
                          .token = std::move(issued.token),
                          .automount = issued.automount};
}

void back_up(store::Snapshots& snapshots, web::OnBackup done) {
  snapshots.take_now([done = std::move(done)](Result<store::Snapshot> taken) mutable {
    if (!taken) return done(taken.error());
    done(web::Backup{.path = taken->path, .revision = std::to_string(taken->revision), .made = taken->made});
  });
}

/// Adds the engine's own paths, once everything that answers them is there.
void add_routes(Engine& engine, const std::string& pages_url) {
  apiserver::ApiServer& api = *engine.api;
  node::ClaimFiles& files = *engine.agent->claim_files();
  api.add_routes(web::console_routes(*engine.console, *engine.console_sessions));
  api.add_routes({web::stream_route(engine.loop, *engine.transport)});
  api.add_routes(web::link_routes(pages_url, *engine.page_access, *engine.pages));
  api.add_routes({web::service_route(*engine.pages)});
  const web::ProgressFrom progress{api.context(), *engine.client, *engine.agent, engine.agent->pod_history()};
  api.add_routes(web::newest_jobs_routes(api.context(), std::make_shared<web::ProgressOfJobs>(progress)));
  api.add_routes(web::job_verb_routes(*engine.transport, web::ActsAs::kCaller));
  api.add_routes({web::job_log_route(engine.loop, *engine.client, engine.agent->pod_history()),
                  web::job_pods_route(*engine.client, engine.agent->pod_history()),
                  web::scalars_route(*engine.client, files, *engine.agent)});
  api.add_routes({web::progress_route(progress)});
  api.add_routes({web::attempt_log_route(api.context()), web::metrics_route(api.context(), engine.agent->metrics())});
  api.add_routes(web::claim_files_routes(api.context(), files));
  api.add_routes({web::backup_route([&engine](web::OnBackup done) { back_up(*engine.snapshots, std::move(done)); })});
}

/// Everything that the main port answers.
void answer(Engine& engine, net::Request request, std::shared_ptr<net::Exchange> exchange) {
  if (web::ConsolePages::serves(request)) return exchange->respond(engine.console->answer(request));
  engine.api->handle(std::move(request), std::move(exchange));
}

web::PageProxy::Options page_options(Engine& engine, const Config& config) {
  return {.uid_of = [&context =
                         engine.api->context()](const web::PageName& page) { return web::uid_of_page(context, page); },
          .idle_after = tensorboard_idle_after(config),
          .sockets_of = [&agent = *engine.agent](const std::string& uid) { return agent.sockets_of(uid); },
          .find_logs = [&client = *engine.client, &files = *engine.agent->claim_files()](
                           const json::Document& board,
                           web::OnLogsFound done) { web::find_logs(client, files, board, std::move(done)); }};
}

Status start_parts(Engine& engine, const ServeOptions& options, const Credentials& credentials,
                   const std::vector<std::string>& names) {
  engine.console_links = std::make_unique<web::OneTimeLinks>(engine.loop, engine.rng);
  engine.console_sessions = std::make_unique<web::ConsoleSessions>(engine.loop, engine.rng, credentials.account_key);
  TRY(engine.console_sessions->keep_in(options.data_dir + "/console-logouts"));
  TRY_ASSIGN(agent::NetworkPolicy network, agent::find_network_policy(options.config.network.mode, options.data_dir));
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
          .node_policy = node_policy(options, network),
          .namespace_limits = {.objects = static_cast<std::size_t>(options.config.limits.objects_per_namespace),
                               .bytes = static_cast<std::size_t>(options.config.limits.bytes_per_namespace.value())}});
  engine.api->start();
  engine.loop.set_busy([&engine] { return engine.api != nullptr && engine.api->requests_under_way() > 0; });
  engine.transport = std::make_unique<apiserver::LocalTransport>(engine.loop, *engine.api);
  engine.client = std::make_unique<client::ApiClient>(*engine.transport, "");
  agent::Options for_agent = agent_options(options);
  for_agent.network = std::move(network);
  for (const std::string& allowed : options.config.network.allow) {
    TRY_ASSIGN(const Address address, parse_address(allowed));
    for_agent.network.allowed.emplace_back(address.host, address.port);
  }
  engine.has_job_networks = for_agent.network.own_networks;
  LOG_INFO("network", {"of pods", agent::describe_network(for_agent.network)});
  for_agent.api_access = [&](const json::Document& pod) { return api_access(engine, options, credentials, pod); };
  engine.agent = std::make_unique<agent::Agent>(engine.loop, engine.rng, *engine.client, std::move(for_agent));
  engine.api->set_node(engine.agent.get());
  engine.api->set_metrics(&engine.agent->metrics());
  const net::ServerTls tls{.certificate_pem = credentials.server.certificate_pem,
                           .key_pem = credentials.server.key_pem};
  engine.page_access = std::make_unique<web::PageAccess>(
      engine.loop, engine.rng,
      web::PageAccess::Options{
          .owner_token = credentials.token, .key = credentials.account_key, .allowed_hosts = names});
  engine.pages = std::make_unique<web::PageProxy>(engine.loop, engine.rng, *engine.client, *engine.page_access,
                                                  page_options(engine, options.config));
  engine.content = web::make_content_server(engine.loop, tls, *engine.pages);
  TRY_ASSIGN(web::AssetPack assets, web::parse_asset_pack(web::embedded_console()));
  engine.console = std::make_unique<web::ConsolePages>(std::move(assets), *engine.page_access, *engine.console_links,
                                                       *engine.console_sessions, credentials.console_key);
  engine.http = std::make_unique<net::HttpServer>(
      engine.loop, tls,
      [&engine](net::Request request, std::shared_ptr<net::Exchange> exchange) {
        answer(engine, std::move(request), std::move(exchange));
      },
      net::ServerLimits{}, [&engine](const net::Request& head) { return engine.api->knows_sender(head); },
      [&engine](const net::Request& head) { return engine.api->streams_body(head); });
  return engine.agent->start();
}

/// Pods in networks of their own reach the API through sockets that listen there.
void open_doors(Engine& engine) {
  engine.agent->open_doors(engine.port, {.on_open =
                                             [&engine](const std::string& network, Fd listening) {
                                               engine.doors[network] =
                                                   engine.http->listen_for_pods(std::move(listening));
                                             },
                                         .on_closed =
                                             [&engine](const std::string& network) {
                                               const auto door = engine.doors.extract(network);
                                               if (!door.empty()) engine.http->stop_listening(door.mapped());
                                             }});
}

/// `kubectl config set-context --current --namespace=…` writes to the engine's file. The user's choice must survive a
/// restart of the engine.
std::string chosen_namespace(const std::string& kubeconfig) {
  const auto before = client::load_kubeconfig(kubeconfig, "muster");
  return before ? before->ns : "default";
}

/// Listens on both ports, and returns the content port.
Result<int> open_ports(Engine& engine, ServeOptions& options, const Credentials& credentials) {
  engine.door = std::make_unique<door::Door>(engine.loop, real_data_dir(options.data_dir));
  if (options.sockets.empty()) {
    TRY(engine.door->take(credentials.token));
  } else {
    engine.door->use(std::move(options.sockets));
  }
  const auto listen = options.may_choose_port ? listen_near : listen_for_engine;
  TRY_ASSIGN(engine.port, listen(*engine.http, options.address, *engine.door));
  TRY_ASSIGN(const int content_port,
             listen_for_content(*engine.content, options.config, options.address, engine.port, *engine.door));
  std::vector<int> sockets = engine.http->tcp_sockets();
  for (const int socket : engine.content->tcp_sockets()) sockets.push_back(socket);
  engine.door->hold(std::move(sockets));
  return content_port;
}

/// Whoever expects the usual port would otherwise meet another user's engine there.
std::string note_about_port(const ServeOptions& options, int port) {
  if (!options.may_choose_port || port == options.address.port) return "";
  return fmt::format("port {} is taken by another program, so this engine uses {}", options.address.port, port);
}

Status run_engine(ServeOptions& options) {
  // Neither a debugger of the same user nor a core file can expose the token and the keys.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  TRY_ASSIGN(std::vector<notify::Target> targets, notify_targets(options.config.notify));
  Engine engine;
  TRY(prepare_data_dir(options.data_dir));
  TRY(open_store(engine, options));  // first: it holds the lock that excludes a second engine
  const std::vector<std::string> names = server_names(options.address.host, host_name());
  TRY_ASSIGN(const Credentials credentials,
             load_or_make_credentials(options.data_dir, names, engine.rng, engine.loop.now()));
  TRY(start_parts(engine, options, credentials, names));
  TRY_ASSIGN(const int content_port, open_ports(engine, options, credentials));
  TRY(engine.http->listen_unix(options.data_dir + "/api.sock"));
  const std::string reachable = reachable_address();
  const std::string pages_url = content_url(options.config, options.address, reachable, content_port);
  open_doors(engine);
  engine.console->serve_at(
      own_origins(options.address.host, reachable, names, engine.port),
      [&options, port = engine.port] { return linux_os::has_all_connections(options.address.host, port); });
  add_routes(engine, pages_url);
  engine.controllers = std::make_unique<control::Controllers>(
      engine.loop, engine.rng, *engine.client,
      engine.has_job_networks ? control::Where::kJobNetworks : control::Where::kEngine, linux_os::is_port_free,
      control::TensorBoardOptions{.pages_url = pages_url, .idle_after = tensorboard_idle_after(options.config)},
      options.config.scheduling == "strict");
  make_queues(*engine.client, options.config.queues);
  engine.senders = std::make_unique<notify::Senders>(engine.loop);
  engine.notifier =
      std::make_unique<notify::Notifier>(engine.loop, engine.rng, *engine.client, *engine.senders, std::move(targets));

  const std::string& host = options.address.host;
  const std::string url = cli::url_of({.host = is_anywhere(host) ? reachable : host, .port = engine.port});
  const std::string kubeconfig = options.data_dir + "/kubeconfig";
  TRY(update_file(kubeconfig, client::make_kubeconfig(url, credentials.ca.certificate_pem, credentials.token,
                                                      chosen_namespace(kubeconfig))));
  TRY(write_engine_record(options.data_dir,
                          {.url = url, .content_port = content_port, .note = note_about_port(options, engine.port)}));
  const std::string listens = cli::url_of({.host = host, .port = engine.port});
  TRY(remember_address(options.data_dir, listens.substr(std::string_view("https://").size())));
  engine.loop.run_until([&engine] { return engine.api->is_set_up(); });
  engine.loop.on_stop_signal([&engine](int signal) {
    LOG_INFO("stopping; pods keep running", {"signal", signal});
    engine.loop.stop();
  });
  fmt::print("ready {}\n", url);
  std::fflush(stdout);
  notify_systemd();

  // The controllers start once the server is listening: requests from users and programs come first.
  engine.loop.post_when_idle([&engine] {
    engine.controllers->start();
    engine.pages->start();
    engine.notifier->start();
  });
  engine.loop.run();
  engine.door->close(agent::any_pod_runs(options.data_dir));
  clear_engine_record(options.data_dir);
  return ok();
}

class Serve final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override {
    flags.add("data-dir", &options_.data_dir, "data folder of the engine");
    flags.add("listen", &listen_,
              "HOST:PORT to listen on; port 0 selects a free one (default: as configured, else the last "
              "address, else 127.0.0.1:8765)");
    flags.add("config", &config_file_, "configuration file (default DIR/config.yaml)");
    flags.add("accept-data-loss", &options_.accept_data_loss, "start even if the end of the database is missing");
    flags.add("log-level", &log_level_, "lowest level to log: debug, info, warn, error");
  }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    std::signal(SIGPIPE, SIG_IGN);
    // Pods of other users read what the engine writes for them, such as /etc/hosts; secrets have modes of their own.
    ::umask(022);
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
    options_.sockets = sockets_of_systemd();
    TRY_ASSIGN(options_.address, choose_address(listen_, options_.config, options_.data_dir));
    options_.may_choose_port = listen_.empty() && options_.config.listen.empty() && options_.sockets.empty() &&
                               last_address(options_.data_dir).empty();
    if (listen_.empty() && options_.config.listen.empty() && !options_.sockets.empty()) {
      TRY_ASSIGN(const net::ListenAddress first, net::listen_address(options_.sockets.front().get()));
      options_.address = {.host = first.host, .port = first.port};
    }
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
