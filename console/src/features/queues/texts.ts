export const en = {
  "queues.title": "Queues",
  "queues.empty": "No queues",
  "queues.emptyHint": "Queues share the machine between teams. Create one from the command line:",
  "queues.priority": "Priority",
  "queues.quota": "Used / quota",
  "queues.running": "Running",
  "queues.waiting": "Waiting",
  "queues.open": "Open",
  "queues.closed": "Closed",
  "queues.closedNote": "closed: accepts no new jobs; running jobs keep running",
  "queues.noQuota": "no quota",
} as const;

export const zh: Record<keyof typeof en, string> = {
  "queues.title": "队列",
  "queues.empty": "暂无数据",
  "queues.emptyHint": "队列让多个团队共享机器。可以从命令行创建：",
  "queues.priority": "优先级",
  "queues.quota": "已用 / 配额",
  "queues.running": "运行中",
  "queues.waiting": "等待中",
  "queues.open": "开放",
  "queues.closed": "关闭",
  "queues.closedNote": "已关闭：不接受新的 Job，运行中的 Job 继续运行",
  "queues.noQuota": "无配额",
};
