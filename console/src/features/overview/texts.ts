export const en = {
  "overview.title": "Overview",
  "overview.needs": "Needs attention",
  "overview.nothing": "No job has failed since yesterday, and none is waiting.",
  "overview.machine": "Machine",
  "overview.machines": "Machines",
  "overview.running": "Running now",
  "overview.nothingRuns": "No jobs are running.",
  "overview.events": "Latest events",
  "overview.all": "All {count}",
  "overview.allEvents": "All events",
  "overview.loss": "{tag} of {name}: {value}",
  "overview.firstJob": "This project has no jobs yet. Create one here or from the command line:",
} as const;

export const zh: Record<keyof typeof en, string> = {
  "overview.title": "总览",
  "overview.needs": "需要处理",
  "overview.nothing": "昨天以来没有失败的 Job，也没有等待中的 Job。",
  "overview.machine": "机器",
  "overview.machines": "机器",
  "overview.running": "正在运行",
  "overview.nothingRuns": "没有运行中的 Job。",
  "overview.events": "最近事件",
  "overview.all": "全部 {count} 个",
  "overview.allEvents": "全部事件",
  "overview.loss": "{name} 的 {tag}：{value}",
  "overview.firstJob": "该项目中还没有 Job。可以在这里创建，或使用命令行：",
};
