export const en = {
  "nodes.title": "Node",
  "nodes.empty": "No machine has registered yet.",
  "nodes.gpus": "GPU",
} as const;

export const zh: Record<keyof typeof en, string> = {
  "nodes.title": "节点",
  "nodes.empty": "还没有机器注册。",
  "nodes.gpus": "GPU",
};
